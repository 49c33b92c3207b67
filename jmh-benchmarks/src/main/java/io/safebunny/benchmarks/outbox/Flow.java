// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.benchmarks.contest.Latencies;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Messages without end: published in transactions through the outbox, handled in transactions with their records, which soon expire. As
 * many are under way as the window has room for. For one thread.
 */
final class Flow implements AutoCloseable {

    static final int WINDOW = 200;
    static final int PREFETCH = 10;
    static final Duration RETENTION = Duration.ofSeconds(30);

    private static final String NODE = "sink";
    private static final int WRITERS = 4;
    private static final int PER_TRANSACTION = 10;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Semaphore window = new Semaphore(WINDOW);
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final List<Future<Void>> writers = new ArrayList<>();
    private final List<String> lines =
            Ping.ofSize("held", BenchBroker.MESSAGE_BYTES).lines();
    private final BenchNode sink;
    private final BenchNode source;
    private volatile Bins handled = new Bins(System.nanoTime());

    Flow(BenchBroker broker, DataSource pool) {
        JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        sink = BenchNode.withStore(
                broker,
                NODE,
                timeline -> new TransactionalJdbcMessageStore(pool, manager, JdbcStoreOptions.of(NODE, RETENTION)));
        sink.start(List.of(BenchBroker.handler(PREFETCH, ping -> {
            long now = System.nanoTime();
            handled.add(now, now - ping.number());
            window.release();
        })));
        source = BenchNode.withOutbox(
                broker,
                BenchBroker.SOURCE,
                (timeline, workers) -> new JdbcOutbox(
                        pool, JdbcOutboxOptions.of(BenchBroker.SOURCE), timeline, workers, new SimpleMeterRegistry()));
        source.start(List.of());
        for (int i = 0; i < WRITERS; i++) {
            writers.add(threads.submit(writer("held-" + i + "-", new TransactionTemplate(manager))));
        }
    }

    private Callable<Void> writer(String name, TransactionTemplate transaction) {
        Bunny bunny = source.bunny();
        return () -> {
            for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                window.acquire(PER_TRANSACTION);
                String prefix = name + i + "-";
                transaction.executeWithoutResult(status -> {
                    for (int k = 0; k < PER_TRANSACTION; k++) {
                        Published unused = bunny.publish(
                                new Ping(prefix + k, System.nanoTime(), lines),
                                PublishOptions.none().withCorrelationId(prefix + k));
                    }
                });
            }
            return null;
        };
    }

    /** Lets it run for a while, and tells how many were handled, and how long after they had been published. */
    Map<String, Double> run(Duration time) throws Exception {
        Bins bins = new Bins(System.nanoTime());
        handled = bins;
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        requireWriters();
        Latencies latencies = bins.latencies();
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("messages/s", bins.ended() * NANOS_PER_SECOND / time.toNanos());
        figures.put("median, ms", latencies.millis(0.5));
        figures.put("99th percentile, ms", latencies.millis(0.99));
        return figures;
    }

    /** A writer ends only if it fails. */
    private void requireWriters() throws Exception {
        for (Future<Void> writer : writers) {
            if (writer.isDone()) {
                writer.get();
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        source.close();
        sink.close();
    }
}
