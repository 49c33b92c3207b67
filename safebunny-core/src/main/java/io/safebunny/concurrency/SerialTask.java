// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.failure.details.Printable;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task that runs on an executor when requested, never concurrently with itself. One run serves all requests made before it,
 * so a run must do all pending work, and may find none. A request during a run causes one more run right after it, on the same
 * thread. If the executor has no thread, the task is requested again a second later. What the task throws is logged and ends that
 * run only. Thread-safe; no method blocks.
 */
public final class SerialTask {

    private static final Logger LOG = LoggerFactory.getLogger(SerialTask.class);

    private static final Duration NO_THREAD_DELAY = Duration.ofSeconds(1);

    private final String name;
    private final Runnable task;
    private final Executor executor;
    private final Timeline timeline;

    // guarded by this, which is never held while calling the executor or the task
    private Phase phase = Phase.IDLE;
    private boolean again;
    private @Nullable PlannedRun upcoming;
    private boolean starved;

    private enum Phase {
        IDLE,
        /** Handed to the executor, not yet running. */
        HANDED_OVER,
        RUNNING,
        STOPPED
    }

    /**
     * @param name what it does, for the log, such as "sweeping"
     * @param executor may run the task on the requesting thread
     */
    public SerialTask(String name, Runnable task, Executor executor, Timeline timeline) {
        this.name = name;
        this.task = task;
        this.executor = executor;
        this.timeline = timeline;
    }

    /** Requests a run as soon as possible; replaces one planned by {@link #requestAfter(Duration)}. */
    public void request() {
        synchronized (this) {
            again |= phase == Phase.RUNNING;
            if (phase != Phase.IDLE) {
                return;
            }
            phase = Phase.HANDED_OVER;
            cancelAlarm();
        }
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            noThread(e);
        }
    }

    /** Requests a run after the delay, unless one starts earlier; of several delays the shortest counts. */
    public void requestAfter(Duration delay) {
        requestAfter(delay, Purpose.PROGRESS);
    }

    /**
     * Like {@link #requestAfter(Duration)}. A run planned as {@link Purpose#PROGRESS} keeps that purpose.
     *
     * @param purpose {@link Purpose#UPKEEP} for recurring runs
     */
    public synchronized void requestAfter(Duration delay, Purpose purpose) {
        if (phase == Phase.STOPPED || phase == Phase.HANDED_OVER) {
            return;
        }
        long now = timeline.nanoTime();
        long due = now + delay.toNanos();
        Purpose next = purpose;
        if (upcoming != null) {
            boolean comesFirst = upcoming.due - due <= 0;
            next = upcoming.purpose == Purpose.PROGRESS ? Purpose.PROGRESS : purpose;
            if (comesFirst && upcoming.purpose == next) {
                return;
            }
            due = comesFirst ? upcoming.due : due;
            cancelAlarm();
        }
        PlannedRun planned = new PlannedRun(due, next);
        planned.timer = timeline.schedule(next, Duration.ofNanos(due - now), planned::ring);
        upcoming = planned;
    }

    /** Starts no further runs; a run in progress completes. */
    public synchronized void stop() {
        phase = Phase.STOPPED;
        cancelAlarm();
    }

    private void run() {
        synchronized (this) {
            if (phase == Phase.STOPPED) {
                return;
            }
            phase = Phase.RUNNING;
            starved = false;
        }
        do {
            runOnce();
        } while (goesOn());
    }

    /** Catches everything: otherwise the task would never run again. */
    private void runOnce() {
        try {
            task.run();
        } catch (Throwable e) { // even checked ones: the task may be written in a language that does not declare them
            report(e);
        }
    }

    private void report(Throwable failure) {
        try {
            LOG.warn("Failed while {}; the next run tries again", name, Printable.inLines(failure));
        } catch (Throwable unlogged) { // probably out of memory
            return;
        }
    }

    private synchronized boolean goesOn() {
        boolean more = again && phase == Phase.RUNNING;
        again = false;
        if (more) {
            cancelAlarm();
        } else if (phase == Phase.RUNNING) {
            phase = Phase.IDLE;
        }
        return more;
    }

    private synchronized void noThread(Throwable refusal) {
        if (phase == Phase.STOPPED) {
            return;
        }
        phase = Phase.IDLE;
        // other rejections are not logged, because they are normal while a node stops
        if (refusal instanceof OutOfMemoryError && !starved) {
            starved = true;
            LOG.warn(
                    "No thread available for {}; retrying every {} ms",
                    name,
                    NO_THREAD_DELAY.toMillis(),
                    Printable.inLines(refusal));
        }
        requestAfter(NO_THREAD_DELAY);
    }

    private void cancelAlarm() {
        if (upcoming != null && upcoming.timer != null) {
            upcoming.timer.cancel();
        }
        upcoming = null;
    }

    /** A planned request. If it fires although it was cancelled, this is noticed because it is no longer {@link #upcoming}. */
    private final class PlannedRun {
        final long due;
        final Purpose purpose;

        @Nullable
        Cancellable timer;

        PlannedRun(long due, Purpose purpose) {
            this.due = due;
            this.purpose = purpose;
        }

        void ring() {
            synchronized (SerialTask.this) {
                if (upcoming != this) {
                    return;
                }
                upcoming = null;
            }
            request();
        }
    }
}
