// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.dedup.BrokenTransactionException;
import io.safebunny.dedup.DedupOptions;
import io.safebunny.dedup.Deduplication;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.CurrentHandling;
import io.safebunny.publishing.Handling;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.memory.MemoryBroker;
import io.safebunny.transport.memory.MemoryTransport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** PostgreSQL refuses everything in a transaction in which a statement failed, the completion of the message included. */
class SpoiltTransactionIT {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final JdbcTemplate sql = new JdbcTemplate(TestDatabase.POSTGRESQL.pool());
    private final Deduplication deduplication = new Deduplication(
            new TransactionalJdbcMessageStore(
                    TestDatabase.POSTGRESQL.pool(),
                    new JdbcTransactionManager(TestDatabase.POSTGRESQL.pool()),
                    JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofDays(7))),
            new ConfirmedSender(
                    new MemoryTransport(new MemoryBroker(timeline, Runnable::run), TopologyOptions.defaults()),
                    timeline,
                    Runnable::run,
                    Duration.ofSeconds(5),
                    10),
            timeline,
            Runnable::run,
            new Metrics(new SimpleMeterRegistry()),
            new DedupOptions(Duration.ofSeconds(30), 20));
    private final List<Throwable> judged = new ArrayList<>();

    @AfterEach
    void close() {
        timeline.close();
    }

    private void deliver(Runnable handler) throws Exception {
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
                false,
                failure -> {
                    judged.add(failure);
                    return new RecoveryAction.RetryDelayed(Duration.ZERO);
                },
                execution -> handler.run());
    }

    @Test
    void isTheHandlersFailureAndNotTheStores() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(() -> {
                    try {
                        sql.execute("insert into nowhere values (1)");
                    } catch (DataAccessException e) {
                        return; // "never mind"
                    }
                }));

        assertThat(judged).singleElement().isInstanceOf(BrokenTransactionException.class);
    }

    @Test
    void isTheHandlersFailureTooWhenTheDatabaseEndsTheConnection() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(() -> {
                    Integer backend = sql.queryForObject("select pg_backend_pid()", Integer.class);
                    new JdbcTemplate(TestDatabase.POSTGRESQL.anotherPool())
                            .queryForObject("select pg_terminate_backend(?)", Boolean.class, backend);
                }));

        assertThat(judged).hasSize(1);
    }
}
