// SPDX-License-Identifier: Apache-2.0
package io.safebunny.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * The only source of time and randomness: a wall clock, a monotonic clock, waiting, scheduling and random numbers. Tests replace
 * it with virtual time. Thread-safe.
 */
public interface Timeline {

    /** Wall clock; may jump. */
    Instant now();

    /** Monotonic clock in nanoseconds; only differences mean something. */
    long nanoTime();

    /**
     * How far virtual time is ahead of clocks that it does not control, such as a database's; zero for real time. Add it to their
     * time, both when writing and when comparing a timestamp. A timeline that wraps another one must pass this on.
     */
    default Duration lead() {
        return Duration.ZERO;
    }

    /** Runs the task once after the delay, on a thread that must not be blocked. */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * Like {@link #schedule(Duration, Runnable)}, with a purpose. Only virtual timelines use it: they must not skip ahead to what
     * the application scheduled for later, nor wait for recurring tasks to end.
     */
    default Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
        return schedule(delay, task);
    }

    /** Blocks the calling thread. */
    void sleep(Duration duration) throws InterruptedException;

    /** Blocks the calling thread until the future is done, or the time is up. */
    <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException;

    /** Thread-safe, and random enough for ids that must be unique everywhere. */
    RandomGenerator random();

    /** What a task is scheduled for. */
    enum Purpose {
        /** The next step of something in progress: a retry, or a timeout. */
        PROGRESS,
        /** Something the application scheduled: a delayed message, a saga's timeout, the end of a pause. */
        APPLICATION,
        /** Recurring background work. */
        UPKEEP
    }

    /** A scheduled task. */
    interface Cancellable {
        /** Has no effect if the task has run. */
        void cancel();
    }
}
