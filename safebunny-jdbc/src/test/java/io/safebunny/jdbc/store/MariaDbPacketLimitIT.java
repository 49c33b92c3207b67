// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.test.database.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbPacketLimitIT extends PacketLimitRules {

    private static final MariaDbServer SERVER = MariaDbServer.start();

    @Override
    String url() {
        return SERVER.jdbcUrl();
    }

    @AfterAll
    static void close() {
        SERVER.close();
    }
}
