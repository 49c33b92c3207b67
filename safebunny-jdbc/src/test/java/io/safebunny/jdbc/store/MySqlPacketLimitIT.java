// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.test.database.MySqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MySqlPacketLimitIT extends PacketLimitRules {

    private static final MySqlServer SERVER = MySqlServer.start();

    @Override
    String url() {
        return SERVER.jdbcUrl();
    }

    @AfterAll
    static void close() {
        SERVER.close();
    }
}
