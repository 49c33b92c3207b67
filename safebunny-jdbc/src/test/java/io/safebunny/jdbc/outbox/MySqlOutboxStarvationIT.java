// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("once")
class MySqlOutboxStarvationIT extends OutboxStarvationRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }

    @Override
    String plan(String sql, Object... values) {
        return new JdbcTemplate(database().pool())
                .queryForList("explain format=tree " + sql, values)
                .toString();
    }
}
