// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs short tasks one after the other on one thread: a broker confirms hundreds of messages at once, which is no reason to start
 * hundreds of threads. When a task takes long, another thread goes on with the rest, so that one may wait for another. Thread-safe.
 */
final class Callbacks implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(Callbacks.class);

    /** Help comes once a task has taken so long, and after twice as long at the latest. */
    static final Duration LONG = Duration.ofMillis(10);

    private final Executor threads;
    private final Timeline timeline;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private int running;
    private long begun;
    private boolean watched;

    /** @param threads must not queue for long */
    Callbacks(Executor threads, Timeline timeline) {
        this.threads = threads;
        this.timeline = timeline;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            tasks.add(task);
            if (running > 0) {
                watch();
                return;
            }
            running = 1;
        }
        startThread();
    }

    private void startThread() {
        try {
            threads.execute(this::runAll);
        } catch (RejectedExecutionException e) {
            LOG.debug("Shutting down: callbacks run on this thread", e);
            runAll();
        }
    }

    private void runAll() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable e) {
                LOG.error("A callback failed", e);
            }
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable task = tasks.poll();
        if (task == null) {
            running--;
        } else {
            begun++;
            watch();
        }
        return task;
    }

    /** As long as there is something to be late for. Called with the lock. */
    private void watch() {
        if (!watched && !tasks.isEmpty()) {
            watched = true;
            long seen = begun;
            timeline.schedule(LONG, () -> helpUnless(seen));
        }
    }

    private void helpUnless(long seen) {
        synchronized (this) {
            watched = false;
            if (begun != seen || tasks.isEmpty()) {
                watch();
                return;
            }
            running++;
        }
        startThread();
    }
}
