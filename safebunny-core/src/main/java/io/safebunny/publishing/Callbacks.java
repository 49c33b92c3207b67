// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.failure.Printable;
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
 * hundreds of threads. When tasks wait, because others take long, more threads go on with the rest. Thread-safe.
 *
 * <p>Not a {@link io.safebunny.work.SerialTask}: this one may run on several threads, and its queue is what tells that they are late.
 */
final class Callbacks implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(Callbacks.class);

    /** How long a task waits until another thread is started, one after the other as long as tasks wait so long. */
    static final Duration LONG = Duration.ofMillis(10);

    private final Executor threads;
    private final Timeline timeline;
    private final Queue<Waiting> tasks = new ArrayDeque<>();
    private int running;
    private boolean watched;

    private record Waiting(Runnable task, long since) {}

    /** @param threads must not queue for long */
    Callbacks(Executor threads, Timeline timeline) {
        this.threads = threads;
        this.timeline = timeline;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            tasks.add(new Waiting(task, timeline.nanoTime()));
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
        } catch (OutOfMemoryError e) { // no thread now
            synchronized (this) {
                running--;
                watch();
            }
        }
    }

    private void runAll() {
        boolean interrupted = Thread.interrupted(); // whose thread it is: at shutdown, the caller's own
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable e) {
                LOG.error("A callback failed", Printable.of(e));
            }
            Thread.interrupted(); // of this task, not of the next one
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable Runnable next() {
        Waiting next = tasks.poll();
        if (next == null) {
            running--;
            return null;
        }
        return next.task;
    }

    /** As long as there is something to be late for. Called with the lock. */
    private void watch() {
        if (!watched && !tasks.isEmpty()) {
            watched = true;
            timeline.schedule(LONG, this::helpTheLate);
        }
    }

    private void helpTheLate() {
        synchronized (this) {
            watched = false;
            Waiting first = tasks.peek();
            if (first == null) {
                return;
            }
            watch();
            if (timeline.nanoTime() - first.since < LONG.toNanos()) {
                return;
            }
            running++;
        }
        startThread();
    }
}
