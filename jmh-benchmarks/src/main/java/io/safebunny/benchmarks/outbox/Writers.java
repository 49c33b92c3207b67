// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import io.safebunny.benchmarks.database.BenchDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Four threads that publish ten messages per transaction. */
final class Writers implements AutoCloseable {

    private static final int THREADS = 4;
    private static final int PER_TRANSACTION = 10;
    private static final long LOOK_MILLIS = 2;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final PlatformTransactionManager manager;

    Writers(PlatformTransactionManager manager) {
        this.manager = manager;
    }

    /** Publishes a message of the correlation in the open transaction. */
    @FunctionalInterface
    interface Publisher {
        void publish(String correlation);
    }

    /** Returns when everything is committed. */
    int publish(int messages, Publisher publisher) throws Exception {
        int transactions = messages / THREADS / PER_TRANSACTION;
        TransactionTemplate transaction = new TransactionTemplate(manager);
        List<Callable<Void>> loops = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            String name = "bench-" + thread + "-";
            loops.add(() -> {
                for (int i = 0; i < transactions; i++) {
                    String prefix = name + i + "-";
                    transaction.executeWithoutResult(status -> {
                        for (int k = 0; k < PER_TRANSACTION; k++) {
                            publisher.publish(prefix + k);
                        }
                    });
                }
                return null;
            });
        }
        for (Future<Void> loop : threads.invokeAll(loops)) {
            loop.get();
        }
        return transactions * THREADS * PER_TRANSACTION;
    }

    static void awaitEmpty(BenchDatabase database, String table) throws InterruptedException {
        while (Boolean.TRUE.equals(
                database.sql().queryForObject("select exists (select 1 from %s)".formatted(table), Boolean.class))) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
