// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import io.safebunny.time.Timeline;
import java.time.Duration;

/**
 * Delay before each connection attempt: jittered and doubled each time, up to five seconds. Only a connection that lasts longer than the
 * delay before it, or two seconds, resets the delay, so that a broker that accepts and drops connections is not hammered. Thread-safe.
 */
final class Backoff {

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    /** A connection that lasts this long resets the delay, however long that was. */
    private static final Duration STEADY = Duration.ofSeconds(2);

    private final Timeline timeline;
    private Duration next = FIRST;
    private long waitedNanos;
    private long connectedAt;

    Backoff(Timeline timeline) {
        this.timeline = timeline;
    }

    synchronized void connected() {
        connectedAt = timeline.nanoTime();
    }

    /** Call when the connection last reported by {@link #connected} was lost. */
    synchronized void lost() {
        if (timeline.nanoTime() - connectedAt >= Math.min(waitedNanos, STEADY.toNanos())) {
            next = FIRST;
        }
    }

    synchronized Duration nextWait() {
        Duration wait =
                Duration.ofNanos((long) (next.toNanos() * timeline.random().nextDouble(0.5, 1.0)));
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
        waitedNanos = wait.toNanos();
        return wait;
    }
}
