// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PostgresStoreIT extends StoreRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
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
