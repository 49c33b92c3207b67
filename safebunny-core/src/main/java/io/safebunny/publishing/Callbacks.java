// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs short tasks one after the other on one thread, so that a broker that confirms hundreds of messages at once does not start
 * hundreds of threads. If tasks wait behind slow ones, further threads help. Thread-safe.
 *
 * <p>Not a {@link io.safebunny.concurrency.SerialTask}, because it may use several threads and needs to know how long tasks have
 * waited.
 */
final class Callbacks implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(Callbacks.class);
    private static final Subject FAILED = Subject.error(LOG, "Callbacks failed").upTo(20);

    /** If the first waiting task has waited this long, another thread is started. */
    static final Duration LONG = Duration.ofMillis(10);

    private final BoundedLog log;
    private final Executor threads;
    private final Timeline timeline;
    private final Queue<Waiting> tasks = new ArrayDeque<>();
    private int running;
    private boolean watched;

    private record Waiting(Runnable task, long since) {}

    /** @param threads should start each task at once, because this class does not notice if tasks wait there */
    Callbacks(Executor threads, Timeline timeline, BoundedLog log) {
        this.log = log;
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
        } catch (OutOfMemoryError e) { // no thread available now
            synchronized (this) {
                running--;
                watch();
            }
        }
    }

    private void runAll() {
        // restored afterwards: during shutdown this is the caller's thread, and the interrupt is meant for it
        boolean interrupted = Thread.interrupted();
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable e) {
                log.tell(FAILED, e.getClass().getName(), () -> LOG.error("A callback failed", log.tellable(e)));
            }
            Thread.interrupted(); // an interrupt left behind by this task must not affect the next one
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

    /** Schedules a check whether tasks still wait. Call with the lock held. */
    private void watch() {
        if (!watched && !tasks.isEmpty()) {
            watched = true;
            timeline.schedule(Purpose.UPKEEP, LONG, this::helpTheLate);
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
