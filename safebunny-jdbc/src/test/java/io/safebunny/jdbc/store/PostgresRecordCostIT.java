// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.TransactionState;
import io.safebunny.message.Envelope;
import io.safebunny.time.SystemTimeline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class PostgresRecordCostIT extends RecordCostRules {

    private static final int MESSAGES = 201;
    private static final long MOST_BYTES = 600;
    private static final long MOST_BYTES_OF_SAGA = 1_800;

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Test
    void theLogOfAMessageThatPublishesNothing() throws Exception {
        assertThat(medianLog(number -> List.of(message()), handling -> {})).isBetween(100L, MOST_BYTES);
    }

    /**
     * Changing a saga writes its row alone: no index has an entry to write, because neither its status nor its next timeout changes. With
     * entries in all of them it would be more than 1,900 bytes.
     */
    @Test
    void theLogOfAMessageOfASaga() throws Exception {
        assertThat(medianLog(
                        number -> {
                            String saga = UUID.randomUUID().toString();
                            return List.of(message(saga), message(saga));
                        },
                        RecordCostRules::move))
                .isBetween(500L, MOST_BYTES_OF_SAGA);
    }

    /**
     * The bytes that the last one of several messages writes. The median is that of messages during which no page of an index is split, and
     * nobody vacuums or checkpoints.
     */
    private static long medianLog(IntFunction<List<Envelope>> messages, Instances.Handler handler) throws Exception {
        JdbcTemplate sql = new JdbcTemplate(TestDatabase.POSTGRESQL.pool());
        try (SystemTimeline timeline = new SystemTimeline("test")) {
            Deduplication instance = Instances.over(
                    Instances.store(TestDatabase.POSTGRESQL.pool(), JdbcStoreOptions.of("shop", Duration.ofDays(7))),
                    timeline,
                    5);
            List<Long> bytes = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                long before = 0;
                for (Envelope message : messages.apply(i)) {
                    before = position(sql);
                    Instances.deliver(
                            instance,
                            new Handling(new CurrentHandling(), message),
                            failure -> Ending.retried(Duration.ZERO, failure),
                            handling -> handling.attempt(() -> handler.handle(handling)));
                }
                bytes.add(position(sql) - before);
            }
            return bytes.stream().sorted().toList().get(MESSAGES / 2);
        }
    }

    private static long position(JdbcTemplate sql) {
        return Objects.requireNonNull(
                sql.queryForObject("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint", Long.class));
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
