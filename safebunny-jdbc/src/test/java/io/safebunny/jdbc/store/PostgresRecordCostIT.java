// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.TransactionState;
import io.safebunny.recovery.Ending;
import io.safebunny.time.SystemTimeline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class PostgresRecordCostIT extends RecordCostRules {

    private static final int MESSAGES = 201;
    private static final int MOST_BYTES = 600;

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    /** The median is that of a message during which no page of an index is split, and nobody vacuums or checkpoints. */
    @Test
    void theLogOfAMessageThatPublishesNothing() throws Exception {
        JdbcTemplate sql = new JdbcTemplate(TestDatabase.POSTGRESQL.pool());
        try (SystemTimeline timeline = new SystemTimeline("test")) {
            Deduplication instance = Instances.over(
                    Instances.store(TestDatabase.POSTGRESQL.pool(), JdbcStoreOptions.of("shop", Duration.ofDays(7))),
                    timeline,
                    5);
            List<Long> positions = new ArrayList<>();
            for (int i = 0; i <= MESSAGES; i++) {
                Instances.deliver(
                        instance,
                        new Handling(new CurrentHandling(), message()),
                        failure -> Ending.retried(Duration.ZERO, failure),
                        handling -> {});
                positions.add(sql.queryForObject(
                        "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint", Long.class));
            }
            List<Long> bytes = IntStream.range(0, MESSAGES)
                    .mapToObj(i -> positions.get(i + 1) - positions.get(i))
                    .sorted()
                    .toList();

            assertThat(bytes.get(MESSAGES / 2)).isBetween(100L, (long) MOST_BYTES);
        }
    }

    /** The driver does not report that such a commit rolls back. */
    @Test
    void theDriverKnowsTheStateOfATransaction() throws Exception {
        try (Connection connection = TestDatabase.POSTGRESQL.pool().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(TransactionState.of(connection)).isEqualTo(TransactionState.IDLE);
            statement.execute("select 1");
            assertThat(TransactionState.of(connection)).isEqualTo(TransactionState.OPEN);
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> statement.execute("select 1/0"));
            assertThat(TransactionState.of(connection)).isEqualTo(TransactionState.FAILED);
            connection.commit();
            assertThat(TransactionState.of(connection)).isEqualTo(TransactionState.IDLE);
        }
    }
}
