// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("once")
class MariaDbStoreIT extends StoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }

    /** A table that somebody has converted to {@code utf8mb3}: one message fails, not the store. */
    @Test
    void aCharacterThatTheColumnCannotStoreIsOneRecordsRefusal() {
        TestDatabase.createTable(database().pool(), "narrow_");
        new JdbcTemplate(database().pool())
                .execute("alter table narrow_message modify outgoing longtext character set utf8mb3,"
                        + " modify steps longtext character set utf8mb3");

        refusesOneRecordForItsCharacters(new JdbcMessageStore(
                database().pool(),
                JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)).withTablePrefix("narrow_")));
    }
}
