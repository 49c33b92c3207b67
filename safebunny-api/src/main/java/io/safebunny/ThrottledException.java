// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;

/**
 * Thrown by a handler when something it depends on accepts no calls for a while. Pauses the message's type for that long, see
 * {@link BunnyCircuitBreaker}; the message itself comes back afterwards without using up an attempt. With a store, it is poisoned
 * at once if it would be older than {@code safebunny.dedup.retention} by then.
 */
public class ThrottledException extends SafeBunnyException {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(365);

    private final Duration delay;

    /**
     * @param delay 1 ms to 365 days, as the dependency asked (for example by HTTP's {@code Retry-After})
     * @throws MisuseException SB-5001 if the delay is out of range
     */
    public ThrottledException(Duration delay) {
        super("SB-3006", "The handler asked for a pause of " + inRange(delay).toMillis() + " ms.", null);
        this.delay = delay;
    }

    private static Duration inRange(Duration delay) {
        if (delay.compareTo(SHORTEST) < 0 || delay.compareTo(LONGEST) > 0) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid pause [delay=%s]: it must be 1 ms to 365 days. Limit the dependency's value before throwing."
                            .formatted(delay));
        }
        return delay;
    }

    public final Duration delay() {
        return delay;
    }
}
