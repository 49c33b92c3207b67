// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;

/**
 * Thrown by a handler: what it depends on takes nothing now. No message of this type is handled for this long, see
 * {@link BunnyCircuitBreaker}; the message itself comes back after it and no attempt is spent.
 */
public class ThrottledException extends SafeBunnyException {

    private final Duration delay;

    /** @param delay 1 ms to 365 days, as the dependency said (HTTP's {@code Retry-After}, for example) */
    public ThrottledException(Duration delay) {
        super("SB-3006", "The handler asked for a pause of " + delay.toMillis() + " ms.", null);
        if (delay.toMillis() < 1 || delay.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException("A pause must be 1 ms to 365 days [delay=%s]".formatted(delay));
        }
        this.delay = delay;
    }

    public final Duration delay() {
        return delay;
    }
}
