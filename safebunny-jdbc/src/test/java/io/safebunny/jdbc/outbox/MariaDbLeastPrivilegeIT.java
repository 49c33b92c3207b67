// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.Dialect;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbLeastPrivilegeIT extends LeastPrivilegeRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    String creation(String name, String secret) {
        return "create user %s@'127.0.0.1' identified by '%s'".formatted(name, secret);
    }

    @Override
    String grantee(String name) {
        return name + "@'127.0.0.1'";
    }

    @Override
    Dialect dialect() {
        return Dialect.MARIADB;
    }
}
