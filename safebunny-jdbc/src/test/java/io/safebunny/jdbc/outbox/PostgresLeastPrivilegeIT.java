// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.Dialect;

class PostgresLeastPrivilegeIT extends LeastPrivilegeRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    String creation(String name, String secret) {
        return "create user %s password '%s'".formatted(name, secret);
    }

    @Override
    String grantee(String name) {
        return name;
    }

    @Override
    Dialect dialect() {
        return Dialect.POSTGRESQL;
    }
}
