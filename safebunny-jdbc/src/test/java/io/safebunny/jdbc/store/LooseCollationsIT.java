// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Tables that somebody has made or altered himself: to them, different ids may be one. */
class LooseCollationsIT {

    private static JdbcMessageStore store(HikariDataSource pool, String prefix) {
        return new JdbcMessageStore(
                pool,
                JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)).withTablePrefix(prefix));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MYSQL|alter table loose_message convert to character set utf8mb4 collate utf8mb4_0900_ai_ci",
                "MYSQL|alter table loose_message modify correlation_id varchar(128) character set ascii not null",
                "MYSQL|alter table loose_companion modify message_id varchar(255) collate utf8mb4_general_ci not null",
                "MARIADB|alter table loose_message convert to character set utf8mb4",
                "MARIADB|alter table loose_companion modify node varchar(100) collate utf8mb4_uca1400_ai_ci not null",
                "POSTGRESQL|alter table loose_message alter correlation_id type varchar(128) collate caseless",
                "POSTGRESQL|alter table loose_message alter correlation_id type varchar(128) collate numbers",
                "POSTGRESQL|alter table loose_companion alter message_id type varchar(255) collate letters"
            })
    void areRefused(TestDatabase database, String alteration) {
        HikariDataSource pool = database.pool();
        JdbcTemplate sql = new JdbcTemplate(pool);
        if (database == TestDatabase.POSTGRESQL) {
            collation(sql, "caseless", "und-u-ks-level2");
            collation(sql, "numbers", "und-u-kn");
            collation(sql, "letters", "und-u-ka-shifted-ks-level1");
        }
        TestDatabase.createTable(pool, "loose_");
        try {
            assertThat(store(pool, "loose_")).isNotNull();
            sql.execute(alteration);

            assertThatThrownBy(() -> store(pool, "loose_"))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("SB-1425")
                    .hasMessageContaining("treats different ids as equal [column=loose_")
                    .hasMessageContaining("ascii_bin");
        } finally {
            for (String table : new String[] {"message", "companion", "outbox"}) {
                sql.execute("drop table loose_" + table);
            }
        }
    }

    private static void collation(JdbcTemplate sql, String name, String locale) {
        sql.execute("create collation if not exists %s (provider = icu, locale = '%s', deterministic = false)"
                .formatted(name, locale));
    }

    @Test
    void anEmptyTextThatIsNoneIsRefused() {
        TestDatabase database = TestDatabase.MARIADB;
        assertThat(database.pool()).isNotNull(); // with the tables
        try (HikariDataSource pool = database.newPool(
                config -> config.setJdbcUrl(database.url() + "&sessionVariables=sql_mode='EMPTY_STRING_IS_NULL'"))) {
            assertThatThrownBy(() -> store(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("SB-1426");
        }
    }

    @ParameterizedTest
    @EnumSource
    void withOurScriptIdsThatDifferInCaseAreTwo(TestDatabase database) {
        JdbcMessageStore store = store(database.pool(), JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
        RecordKey lower = new RecordKey("order-a", "pay-a");
        RecordKey upper = new RecordKey("order-A", "pay-A");
        MessageRecord first = store.create(Records.claim(lower, "a"));
        MessageRecord second = store.create(Records.claim(upper, "b"));

        assertThat(store.find(lower)).isEqualTo(first);
        assertThat(store.find(upper)).isEqualTo(second);
    }
}
