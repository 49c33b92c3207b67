// SPDX-License-Identifier: Apache-2.0
package io.safebunny.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * A moment by which something must have ended, however many steps it takes: each step is given what the others left.
 * Immutable.
 */
public final class Deadline {

    private final Timeline timeline;
    private final Duration timeout;
    private final long at;

    private Deadline(Timeline timeline, Duration timeout) {
        this.timeline = timeline;
        this.timeout = timeout;
        this.at = timeline.nanoTime() + timeout.toNanos();
    }

    /** From now on by this timeline's monotonic clock. */
    public static Deadline after(Duration timeout, Timeline timeline) {
        return new Deadline(timeline, timeout);
    }

    /** What it was made with: how long all steps together may take. */
    public Duration timeout() {
        return timeout;
    }

    /** In nanoseconds; zero when it is over, never less. */
    public long nanosLeft() {
        return Math.max(0, at - timeline.nanoTime());
    }

    /** Zero when it is over, never less. */
    public Duration left() {
        return Duration.ofNanos(nanosLeft());
    }

    /**
     * Blocks the calling thread until the signal is given, or this is over.
     *
     * @return whether it was given, completed exceptionally included
     */
    public boolean await(CompletableFuture<?> signal) throws InterruptedException {
        try {
            Object unused = timeline.await(signal, left());
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    public boolean isOver() {
        return nanosLeft() == 0;
    }
}
