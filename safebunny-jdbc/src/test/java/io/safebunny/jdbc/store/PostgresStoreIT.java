// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class PostgresStoreIT extends StoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    /** A database with another encoding than UTF8 cannot hold every text: one message fails, not the store. */
    @Test
    void aCharacterThatTheDatabaseCannotStoreIsOneRecordsRefusal() {
        new JdbcTemplate(database().pool())
                .execute("create database narrow encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0");
        try (HikariDataSource pool =
                database().newPool(config -> config.setJdbcUrl(database().url().replace("/postgres?", "/narrow?")))) {
            TestDatabase.createTable(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
            refusesOneRecordForItsCharacters(
                    new JdbcMessageStore(pool, JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1))));
        }
    }

    @Test
    void aWriteThatTookPlaceInABatchWithoutAnAnswerIsOurs() {
        LostAnswer lost = new LostAnswer(database().pool());
        JdbcMessageStore store = new JdbcMessageStore(
                lost.dataSource(), JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));
        MessageRecord claim = Records.claim(Records.key(), "a");
        store.create(claim);
        MessageRecord renewed = claim.next(RecordState.CLAIMED);
        lost.next();

        assertThat(store.replace(renewed)).isEqualTo(renewed);
        assertThat(store.replace(claim.next(RecordState.POISONED))).isNull();
    }
}
