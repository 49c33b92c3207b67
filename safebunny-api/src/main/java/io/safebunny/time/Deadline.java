// SPDX-License-Identifier: Apache-2.0
package io.safebunny.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** A time limit for an operation of several steps: each step gets what the earlier ones left. Immutable. */
public final class Deadline {

    private final Timeline timeline;
    private final Duration timeout;
    private final long at;

    private Deadline(Timeline timeline, Duration timeout) {
        this.timeline = timeline;
        this.timeout = timeout;
        this.at = timeline.nanoTime() + timeout.toNanos();
    }

    /** A deadline that starts now, by this timeline's monotonic clock. */
    public static Deadline after(Duration timeout, Timeline timeline) {
        return new Deadline(timeline, timeout);
    }

    /** How long all steps together may take. */
    public Duration timeout() {
        return timeout;
    }

    /** Time left in nanoseconds; 0 when the deadline has passed. */
    public long nanosLeft() {
        return Math.max(0, at - timeline.nanoTime());
    }

    /** Time left; zero when the deadline has passed. */
    public Duration left() {
        return Duration.ofNanos(nanosLeft());
    }

    /**
     * Blocks the calling thread until the signal completes, or the deadline passes.
     *
     * @return whether it completed, normally or exceptionally
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
