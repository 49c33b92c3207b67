// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;

/**
 * Thrown by a handler: skip the in-memory retries and deliver the message again after this delay. It costs one of the
 * delayed retries; when none is left the message is poisoned.
 */
public class RetryLaterException extends SafeBunnyException {

    private final Duration delay;

    /** @param delay zero to 365 days */
    public RetryLaterException(Duration delay) {
        super("SB-3002", "The handler asked for another delivery in " + delay.toMillis() + " ms.", null);
        if (delay.isNegative() || delay.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException("A delay must be zero to 365 days [delay=%s]".formatted(delay));
        }
        this.delay = delay;
    }

    public final Duration delay() {
        return delay;
    }
}
