// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.Retention;
import io.safebunny.time.SystemTimeline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** PostgreSQL cancels statements that wait too long, whether for another delivery's transaction or for a locked table. */
class SilentDatabaseIT {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final AtomicInteger runs = new AtomicInteger();
    private final Deduplication deduplication = Instances.over(
            Instances.store(
                    TestDatabase.POSTGRESQL.pool(),
                    new JdbcStoreOptions(
                            TestDatabase.newNode(),
                            Retention.of(Duration.ofDays(7)),
                            JdbcStoreOptions.DEFAULT_TABLE_PREFIX,
                            1_000_000,
                            Duration.ofSeconds(1))),
            timeline,
            20);

    @AfterEach
    void close() {
        timeline.close();
    }

    private void deliver() throws Exception {
        Instances.deliver(
                deduplication,
                new Handling(new CurrentHandling(), Instances.message()),
                failure -> new Returned(Duration.ZERO, failure, BreakerEffect.of(failure)),
                execution -> runs.incrementAndGet());
    }

    @Test
    void pausesTheTypeWhileTheTableIsLocked() throws Exception {
        try (Connection maintenance = TestDatabase.POSTGRESQL.anotherPool().getConnection()) {
            lockTable(maintenance);
            NotHandledException failure = catchThrowableOfType(NotHandledException.class, this::deliver);
            maintenance.rollback();

            assertThat(failure.isTrouble()).isTrue();
            assertThat(runs).hasValue(0);
        }
        deliver();

        assertThat(runs).hasValue(1);
    }

    private static void lockTable(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("lock table safebunny_message in access exclusive mode");
        }
    }
}
