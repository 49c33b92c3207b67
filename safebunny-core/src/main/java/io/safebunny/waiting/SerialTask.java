// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import io.safebunny.failure.Printable;
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
 * One task that runs on an executor whenever it is requested, never twice at once. After each request a run begins, one run for all
 * requests that came before it; so the task takes up whatever there is to do, and must not mind finding nothing. A request
 * during a run makes one more run right after it, on the same thread. When the executor has no thread the task is requested
 * again a second later. What the task throws is logged and ends that run only. Thread-safe; no method blocks.
 */
public final class SerialTask {

    private static final Logger LOG = LoggerFactory.getLogger(SerialTask.class);

    private static final Duration NO_THREAD_DELAY = Duration.ofSeconds(1);

    private final String name;
    private final Runnable task;
    private final Executor executor;
    private final Timeline timeline;

    // guarded by this, which is never held while the executor is asked or the task runs
    private State state = State.IDLE;
    private boolean again;
    private @Nullable Alarm alarm;
    private boolean starved;

    private enum State {
        IDLE,
        /** Handed to the executor; the run has not begun. */
        HANDED_OVER,
        RUNNING,
        STOPPED
    }

    /**
     * @param name what it does, for the log: "sweeping"
     * @param executor may run the task on the thread that requests it
     */
    public SerialTask(String name, Runnable task, Executor executor, Timeline timeline) {
        this.name = name;
        this.task = task;
        this.executor = executor;
        this.timeline = timeline;
    }

    /** As soon as possible: what {@link #requestAfter(Duration)} planned is not waited for any more. */
    public void request() {
        synchronized (this) {
            again |= state == State.RUNNING;
            if (state != State.IDLE) {
                return;
            }
            state = State.HANDED_OVER;
            cancelAlarm();
        }
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            noThread(e);
        }
    }

    /** When the delay is over, unless a run begins before that; of several delays the one that ends first counts. */
    public void requestAfter(Duration delay) {
        requestAfter(delay, Purpose.PROGRESS);
    }

    /**
     * Like {@link #requestAfter(Duration)}. A run that was planned as {@link Purpose#PROGRESS} stays that.
     *
     * @param purpose {@link Purpose#UPKEEP} for runs that would go on for ever
     */
    public synchronized void requestAfter(Duration delay, Purpose purpose) {
        if (state == State.STOPPED || state == State.HANDED_OVER) {
            return;
        }
        long now = timeline.nanoTime();
        long due = now + delay.toNanos();
        Purpose next = purpose;
        if (alarm != null) {
            boolean comesFirst = alarm.due - due <= 0;
            next = alarm.purpose == Purpose.PROGRESS ? Purpose.PROGRESS : purpose;
            if (comesFirst && alarm.purpose == next) {
                return;
            }
            due = comesFirst ? alarm.due : due;
            cancelAlarm();
        }
        Alarm planned = new Alarm(due, next);
        planned.timer = timeline.schedule(next, Duration.ofNanos(due - now), planned::ring);
        alarm = planned;
    }

    /** No run begins any more. One that is under way goes on to its end. */
    public synchronized void stop() {
        state = State.STOPPED;
        cancelAlarm();
    }

    private void run() {
        synchronized (this) {
            if (state == State.STOPPED) {
                return;
            }
            state = State.RUNNING;
            starved = false;
        }
        do {
            runOnce();
        } while (goesOn());
    }

    /** Nothing may get past this, or no run would ever begin again. */
    private void runOnce() {
        try {
            task.run();
        } catch (Throwable e) { // a checked one too: what runs need not be written in Java
            report(e);
        }
    }

    private void report(Throwable failure) {
        try {
            LOG.warn("Failed while {}; the next run goes on", name, Printable.inLines(failure));
        } catch (Throwable unlogged) { // most likely there is no memory for it
            return;
        }
    }

    private synchronized boolean goesOn() {
        boolean more = again && state == State.RUNNING;
        again = false;
        if (more) {
            cancelAlarm();
        } else if (state == State.RUNNING) {
            state = State.IDLE;
        }
        return more;
    }

    private synchronized void noThread(Throwable refusal) {
        if (state == State.STOPPED) {
            return;
        }
        state = State.IDLE;
        if (refusal instanceof OutOfMemoryError && !starved) { // a rejection is how a node stops
            starved = true;
            LOG.warn(
                    "No thread for {}; trying again every {} ms",
                    name,
                    NO_THREAD_DELAY.toMillis(),
                    Printable.inLines(refusal));
        }
        requestAfter(NO_THREAD_DELAY);
    }

    private void cancelAlarm() {
        if (alarm != null && alarm.timer != null) {
            alarm.timer.cancel();
        }
        alarm = null;
    }

    /** A request that is planned. One that was cancelled too late, and rings all the same, is not {@link #alarm} any more. */
    private final class Alarm {
        final long due;
        final Purpose purpose;

        @Nullable
        Cancellable timer;

        Alarm(long due, Purpose purpose) {
            this.due = due;
            this.purpose = purpose;
        }

        void ring() {
            synchronized (SerialTask.this) {
                if (alarm != this) {
                    return;
                }
                alarm = null;
            }
            request();
        }
    }
}
