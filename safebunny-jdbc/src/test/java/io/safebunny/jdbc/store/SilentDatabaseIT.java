// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.dedup.DedupOptions;
import io.safebunny.dedup.Deduplication;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.memory.MemoryBroker;
import io.safebunny.transport.memory.MemoryTransport;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** PostgreSQL cancels statements that wait too long, whether for another delivery's transaction or for a locked table. */
class SilentDatabaseIT {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final AtomicInteger runs = new AtomicInteger();
    private final Deduplication deduplication = new Deduplication(
            new TransactionalJdbcMessageStore(
                    TestDatabase.POSTGRESQL.pool(),
                    new JdbcTransactionManager(TestDatabase.POSTGRESQL.pool()),
                    new JdbcStoreOptions(
                            TestDatabase.newNode(),
                            Duration.ofDays(7),
                            JdbcStoreOptions.DEFAULT_TABLE_PREFIX,
                            1_000_000,
                            Duration.ofSeconds(1))),
            new ConfirmedSender(
                    new MemoryTransport(new MemoryBroker(timeline, Runnable::run), TopologyOptions.defaults()),
                    timeline,
                    Runnable::run,
                    Duration.ofSeconds(5),
                    10),
            timeline,
            Runnable::run,
            new Metrics(new SimpleMeterRegistry()),
            new DedupOptions(Duration.ofSeconds(30), 20, Duration.ofHours(1)));

    @AfterEach
    void close() {
        timeline.close();
    }

    private void deliver() throws Exception {
        WireMessage message = new WireMessage(
                "id",
                UUID.randomUUID().toString(),
                "Order",
                null,
                null,
                null,
                null,
                Map.of(),
                "{}".getBytes(StandardCharsets.UTF_8));
        deduplication.run(
                new Handling(new CurrentHandling(), EnvelopeReader.read(message)),
                failure -> new RecoveryAction.ComeBack(Duration.ZERO),
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
