// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;

/**
 * Thrown by a handler to skip the in-memory retries and get the message again after this delay. Uses one delayed retry; if none
 * is left, the message is poisoned. With a store, it is poisoned at once if it would be older than {@code
 * safebunny.dedup.retention} after the delay.
 */
public class RetryLaterException extends SafeBunnyException {

    private static final Duration LONGEST = Duration.ofDays(365);

    private final Duration delay;

    /**
     * @param delay zero to 365 days
     * @throws MisuseException SB-5001 if the delay is out of range
     */
    public RetryLaterException(Duration delay) {
        super(
                "SB-3002",
                "The handler asked for another delivery in " + inRange(delay).toMillis() + " ms.",
                null);
        this.delay = delay;
    }

    private static Duration inRange(Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid delay [delay=%s]: it must be zero to 365 days. Limit it before throwing."
                            .formatted(delay));
        }
        return delay;
    }

    public final Duration delay() {
        return delay;
    }
}
