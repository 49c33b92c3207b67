// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("once")
class MariaDbOutboxStarvationIT extends OutboxStarvationRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    @Override
    String plan(String sql, Object... values) {
        return new JdbcTemplate(database().pool())
                .queryForList("explain " + sql, values)
                .toString();
    }
}
