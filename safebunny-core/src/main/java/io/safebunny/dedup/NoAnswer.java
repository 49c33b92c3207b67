// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.recovery.NotHandledException;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.time.Timeline;
import java.time.Duration;

/** What a store that does not answer means for a message: it is not the message's fault, and costs no attempt. */
final class NoAnswer {

    /** When the message comes back; meanwhile its type is paused. */
    static final Duration DELAY = Duration.ofSeconds(5);

    /** Between two tries to write what must not be forgotten. */
    static final Duration PAUSE = Duration.ofMillis(200);

    private NoAnswer() {}

    static NotHandledException of(String messageId, DedupLog log, RuntimeException e) {
        if (e instanceof StoreUnavailableException unavailable && unavailable.retryAfter() != null) {
            return NotHandledException.throttled(
                    "The store asks for patience: " + unavailable.messageWithoutCode(), unavailable.retryAfter());
        }
        log.noAnswer(messageId, "it comes back, and so do others, until it does", e);
        return NotHandledException.trouble("The store did not answer for message " + messageId, DELAY);
    }

    /** @throws NotHandledException when interrupted */
    static void pause(Timeline timeline) {
        pause(timeline, PAUSE);
    }

    /**
     * For as long as the store asks, within the time that is left: one more try fits in.
     *
     * @throws NotHandledException when interrupted
     */
    static void pause(Timeline timeline, RuntimeException e, Duration left) {
        Duration asked = e instanceof StoreUnavailableException unavailable ? unavailable.retryAfter() : null;
        Duration longest = left.minus(PAUSE);
        Duration wanted = asked == null || asked.compareTo(longest) < 0 ? asked : longest;
        pause(timeline, wanted == null || wanted.compareTo(PAUSE) < 0 ? PAUSE : wanted);
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
