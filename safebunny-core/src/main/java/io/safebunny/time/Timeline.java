// SPDX-License-Identifier: Apache-2.0
package io.safebunny.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * The only source of what differs from one run to the next: a wall clock, a monotonic clock, waiting, scheduling and randomness.
 * Thread-safe.
 */
public interface Timeline {

    /** Wall clock; may jump. */
    Instant now();

    /** Monotonic clock in nanoseconds; only differences mean something. */
    long nanoTime();

    /**
     * How far this timeline has run ahead of clocks that it does not move, such as a database's: zero unless time is virtual. Add it to
     * their time, both when a moment is written and when it is compared. A timeline that wraps another one
     * passes this on, as {@link ForwardingTimeline} does.
     */
    default Duration lead() {
        return Duration.ZERO;
    }

    /** Runs the task once after the delay, on a thread that must not be blocked. */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * Like {@link #schedule(Duration, Runnable)}, and says what for. Only a virtual timeline needs to know, which must not run through
     * what the application wants later, or wait for the end of what never ends.
     */
    default Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
        return schedule(delay, task);
    }

    /** Blocks the calling thread. */
    void sleep(Duration duration) throws InterruptedException;

    /** Blocks the calling thread until the future is done, or the time is up. */
    <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException;

    /** Thread-safe, and good for ids that must not occur twice anywhere. */
    RandomGenerator random();

    /** What a task is scheduled for. */
    enum Purpose {
        /** Something that is under way goes on: it is tried again, or given up. */
        PROGRESS,
        /** The application wanted it then: a delayed message, a timeout of a saga, the end of a pause. */
        APPLICATION,
        /** Looks again and again whether there is something to do. */
        UPKEEP
    }

    /** A scheduled task. */
    interface Cancellable {
        /** No effect when the task has run. */
        void cancel();
    }
}
