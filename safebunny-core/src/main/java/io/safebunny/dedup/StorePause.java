// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.time.Timeline;
import java.time.Duration;

/** The wait between two tries of a write that must succeed. */
final class StorePause {

    static final Duration SHORTEST = Duration.ofMillis(200);

    private StorePause() {}

    /** @throws NotHandledException when interrupted */
    static void pause(Timeline timeline) {
        pause(timeline, SHORTEST);
    }

    /**
     * Waits as long as the store asks, but leaves time for one more try.
     *
     * @throws NotHandledException when interrupted
     */
    static void pause(Timeline timeline, RuntimeException e, Duration left) {
        Duration asked = e instanceof StoreUnavailableException unavailable ? unavailable.retryAfter() : null;
        Duration longest = left.minus(SHORTEST);
        Duration wanted = asked == null || asked.compareTo(longest) < 0 ? asked : longest;
        pause(timeline, wanted == null || wanted.compareTo(SHORTEST) < 0 ? SHORTEST : wanted);
    }

    private static void pause(Timeline timeline, Duration time) {
        try {
            timeline.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw NotHandledException.later("Interrupted while waiting for the store", Duration.ZERO);
        }
    }
}
