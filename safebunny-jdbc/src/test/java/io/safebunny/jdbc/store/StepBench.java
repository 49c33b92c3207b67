// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

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
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.memory.MemoryBroker;
import io.safebunny.transport.memory.MemoryTransport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** One message delivered to two instances of a node, in transactions of one database. Thread-safe. */
final class StepBench implements AutoCloseable {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final String node = TestDatabase.newNode();
    private final WireMessage message = new WireMessage(
            "id",
            UUID.randomUUID().toString(),
            "Order",
            null,
            null,
            null,
            null,
            Map.of(),
            "{}".getBytes(StandardCharsets.UTF_8));
    /** Failures of the handlings of both instances. */
    final List<Throwable> judged = new CopyOnWriteArrayList<>();

    final Deduplication first;
    final Deduplication second;

    StepBench(TestDatabase database) {
        this(database, Integer.MAX_VALUE);
    }

    /** @param handledAtOnce messages that each instance may handle at once */
    StepBench(TestDatabase database, int handledAtOnce) {
        first = instance(store(database, handledAtOnce));
        second = instance(store(database, handledAtOnce));
    }

    private TransactionalMessageStore store(TestDatabase database, int handledAtOnce) {
        return new TransactionalJdbcMessageStore(
                database.pool(),
                new JdbcTransactionManager(database.pool()),
                JdbcStoreOptions.of(node, Duration.ofDays(7)).withTimeout(Duration.ofSeconds(2)),
                handledAtOnce);
    }

    private Deduplication instance(TransactionalMessageStore store) {
        return new Deduplication(
                store,
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
    }

    void deliver(Deduplication to, Deduplication.Action handler) throws Exception {
        to.run(
                new Handling(new CurrentHandling(), EnvelopeReader.read(message)),
                failure -> {
                    judged.add(failure);
                    return new RecoveryAction.RetryDelayed(Duration.ZERO);
                },
                handling -> handling.attempt(() -> handler.run(handling)));
    }

    @Override
    public void close() {
        timeline.close();
    }
}
