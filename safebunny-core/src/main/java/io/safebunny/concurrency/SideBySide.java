// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an action for many elements, a few at a time. The calling thread takes part, so this works even if no other thread is free.
 * Thread-safe.
 */
public final class SideBySide {

    private static final Logger LOG = LoggerFactory.getLogger(SideBySide.class);

    private static final Duration LOOK = Duration.ofSeconds(30);

    private final Executor executor;
    private final int atOnce;
    private final Timeline timeline;

    public SideBySide(Executor executor, int atOnce, Timeline timeline) {
        this.executor = executor;
        this.atOnce = atOnce;
        this.timeline = timeline;
    }

    /**
     * Blocks until the action has run for every element. Starts in the order of the collection.
     *
     * @param action must not throw
     */
    public <T> void forEach(Collection<T> things, Consumer<T> action) throws InterruptedException {
        Queue<T> open = new ConcurrentLinkedQueue<>(things);
        AtomicInteger undone = new AtomicInteger(things.size());
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable worker = () -> {
            for (T next = open.poll(); next != null; next = open.poll()) {
                try {
                    action.accept(next);
                } finally {
                    if (undone.decrementAndGet() == 0) {
                        done.complete(null);
                    }
                }
            }
        };
        try {
            for (int helper = 1; helper < Math.min(atOnce, things.size()); helper++) {
                executor.execute(worker);
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("No thread to help; the calling thread does the rest", e);
        }
        worker.run();
        while (undone.get() > 0) {
            await(done);
        }
    }

    private void await(CompletableFuture<Void> done) throws InterruptedException {
        try {
            Object unused = timeline.await(done, LOOK);
        } catch (TimeoutException e) {
            LOG.debug("Still waiting for the slowest of several calls");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
