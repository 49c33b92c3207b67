// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.publish;

import io.safebunny.benchmarks.contest.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A number of threads that publish at once, each waiting for its confirm before it publishes the next message. */
final class Callers implements AutoCloseable {

    private final int count;
    private final ExecutorService threads;

    Callers(int count) {
        this.count = count;
        this.threads = Executors.newFixedThreadPool(count);
    }

    int count() {
        return count;
    }

    /** Publishes one message and returns when it is confirmed. */
    @FunctionalInterface
    interface Publisher {
        void publish() throws Exception;
    }

    /** Creates a separate publisher for each caller. */
    @FunctionalInterface
    interface PublisherOf {
        Publisher caller(int number);
    }

    Figures publish(int messages, PublisherOf publishers) throws Exception {
        int each = messages / count;
        List<Callable<Void>> loops = new ArrayList<>();
        for (int caller = 0; caller < count; caller++) {
            Publisher publisher = publishers.caller(caller);
            loops.add(() -> {
                for (int i = 0; i < each; i++) {
                    publisher.publish();
                }
                return null;
            });
        }
        long begin = System.nanoTime();
        for (Future<Void> loop : threads.invokeAll(loops)) {
            loop.get();
        }
        return Figures.perSecond((long) each * count, System.nanoTime() - begin);
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
