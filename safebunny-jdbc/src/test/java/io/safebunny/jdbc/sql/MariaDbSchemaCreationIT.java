// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("once")
class MariaDbSchemaCreationIT extends SchemaRaceRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    String dropIndex(String index, String table) {
        return "drop index %s on %s".formatted(index, table);
    }
}
