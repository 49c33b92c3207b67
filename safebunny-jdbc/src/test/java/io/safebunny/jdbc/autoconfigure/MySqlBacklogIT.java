// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.test.database.MySqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MySqlBacklogIT extends BacklogRules {

    private static final MySqlServer DATABASE = MySqlServer.start();

    @Override
    String url() {
        return DATABASE.jdbcUrl();
    }

    @Override
    int backlog() {
        return 500;
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }
}
