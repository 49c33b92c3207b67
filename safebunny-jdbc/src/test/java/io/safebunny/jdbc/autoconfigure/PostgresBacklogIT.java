// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.test.database.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

@Tag("once")
class PostgresBacklogIT extends BacklogRules {

    private static final PostgresServer DATABASE = PostgresServer.start();

    @Override
    String url() {
        return DATABASE.jdbcUrl();
    }

    @Override
    int backlog() {
        return 5_000;
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }
}
