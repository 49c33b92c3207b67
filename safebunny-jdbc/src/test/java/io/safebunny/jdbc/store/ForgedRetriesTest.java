// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Forged retry headers where the record is a row: claimed by a lease, or in one transaction with the handler. */
@Timeout(60)
class ForgedRetriesTest {

    private static final int ATTEMPTS = 3;
    private static final String QUEUE = "shop-Order";

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final MemoryTransport attacker = new MemoryTransport(broker, TopologyOptions.defaults());
    private final AtomicInteger runs = new AtomicInteger();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final String node = TestDatabase.newNode();
    private @Nullable SafeBunnyEngine shop;

    private record Order(String id) {}

    /** How many of the next connection requests fail. */
    private final AtomicInteger away = new AtomicInteger();

    private final DelegatingDataSource database = new DelegatingDataSource(TestDatabase.H2.pool()) {
        @Override
        public Connection getConnection() throws SQLException {
            if (away.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new SQLTransientConnectionException("away", "08001");
            }
            return super.getConnection();
        }
    };

    private SafeBunnyEngine engine(boolean transactional) {
        JdbcStoreOptions options = JdbcStoreOptions.of(node, Duration.ofHours(1));
        MessageStore store = transactional
                ? new TransactionalJdbcMessageStore(database, new JdbcTransactionManager(database), options)
                : new JdbcMessageStore(database, options);
        return new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("shop"), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .breakers(new CircuitBreakers(BreakerSettings.defaults(), timeline, threads))
                .callbacks(threads)
                .meterRegistry(meters)
                .build());
    }

    private void start(boolean transactional) {
        start(transactional, RetryStrategy.none());
    }

    private void start(boolean transactional, RetryStrategy inMemory) {
        start(transactional, inMemory, () -> {});
    }

    private void start(boolean transactional, RetryStrategy inMemory, Runnable beforeItFails) {
        SafeBunnyEngine started = engine(transactional);
        shop = started;
        started.start(List.of(new HandlerDefinition(
                "test.on(Order)",
                "Order",
                Order.class,
                List.of("shop"),
                1,
                RecoveryPolicy.of(inMemory, RetryStrategy.of(ATTEMPTS - 1, Duration.ofMillis(1))),
                (payload, context) -> {
                    runs.incrementAndGet();
                    beforeItFails.run();
                    throw new IllegalStateException("failed");
                })));
    }

    @AfterEach
    void stop() {
        Objects.requireNonNull(shop).stop(Duration.ofSeconds(5));
        attacker.close();
        threads.shutdownNow();
        timeline.close();
    }

    private void send(Map<String, Object> headers) {
        WireMessage message = new WireMessage(
                "m-1",
                "c-1",
                "Order",
                "shop",
                null,
                null,
                null,
                headers,
                "{\"id\":\"1\"}".getBytes(StandardCharsets.UTF_8));
        send(message);
    }

    private void send(WireMessage message) {
        Deadline deadline = Deadline.after(Duration.ofSeconds(10), timeline);
        attacker.send(new OutboundMessage(message, new Route.ToQueue(QUEUE), Duration.ZERO), deadline)
                .join();
        await().until(() -> runs.get() > 0 && broker.isIdle());
    }

    private List<WireMessage> poisoned() {
        return broker.messages("shop-poison");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyThatSaysItIsTheHundredthAttemptDoesNotExhaustTheRetries(boolean transactional) {
        start(transactional);
        send(Map.of("sb-attempt", 100));

        assertThat(runs)
                .as("the last, as far as the record knows, and what follows it")
                .hasValue(ATTEMPTS - 1);
        assertThat(poisoned()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neitherForgedReplaysNorCopiesOfTheFirstAttemptAreHandledForEver(boolean transactional) {
        start(transactional);
        for (int copy = 0; copy < 10; copy++) {
            send(Map.of("sb-attempt", 0));
            send(Map.of("sb-poisoned-at", 1L));
            send(Map.of("sb-poisoned-at", 1L, "sb-poison-version", 1L));
        }

        assertThat(runs).hasValue(ATTEMPTS);
        assertThat(meters.counter("safebunny.dedup", "type", "Order", "outcome", "reopened")
                        .count())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPoisonCopyReopensItsMessageOnce(boolean transactional) {
        start(transactional, RetryStrategy.of(1, Duration.ofMillis(1)));
        send(Map.of());
        WireMessage poison = poisoned().get(0);
        WireMessage replay = poison.withHeaders(new LinkedHashMap<>(poison.headers()));

        for (int copy = 0; copy < 5; copy++) {
            send(replay);
        }

        assertThat(runs).hasValue(2 * 2 * ATTEMPTS);
        // in a transaction each in-memory attempt reopens the record
        assertThat(meters.counter("safebunny.dedup", "type", "Order", "outcome", "reopened")
                        .count())
                .isEqualTo(1);
    }

    /** As when its handler kills the database's connections: the attempt cannot be recorded, time after time. */
    @Test
    void attemptsAreCountedAlsoWhenTheStoreIsAwayAtTheEndOfEach() {
        start(true, RetryStrategy.none(), () -> away.set(1));
        send(Map.of());

        assertThat(runs).hasValue(ATTEMPTS);
        assertThat(poisoned()).hasSize(1);
    }

    /** Its record still says poisoned, and its retry is not a replay. */
    @Test
    void aReplayWhoseFailureCannotBeWrittenIsSetAsideAndCanBeReplayedAgain() {
        AtomicBoolean goesAway = new AtomicBoolean();
        start(true, RetryStrategy.none(), () -> {
            if (goesAway.getAndSet(false)) {
                away.set(1);
            }
        });
        send(Map.of());

        goesAway.set(true);
        send(poisoned().get(0));
        assertThat(runs).hasValue(ATTEMPTS + 1);
        assertThat(poisoned()).hasSize(2);

        send(poisoned().get(1));
        assertThat(runs).hasValue(ATTEMPTS + 1 + ATTEMPTS);
    }
}
