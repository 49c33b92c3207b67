// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How often and when to retry: one retry per delay, in this order. Immutable.
 *
 * @param delays the delays, none of them negative
 * @param jitter fraction of each delay, 0 to 1, by which it is randomly shortened or lengthened
 */
public record RetryStrategy(List<Duration> delays, double jitter) {

    private static final RetryStrategy NONE = new RetryStrategy(List.of(), 0);

    public RetryStrategy {
        delays = List.copyOf(delays);
        if (jitter < 0 || jitter > 1 || delays.stream().anyMatch(Duration::isNegative)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid retries [delays=%s, jitter=%s]: delays must not be negative, and jitter must be 0 to 1."
                            .formatted(delays, jitter));
        }
    }

    /** No retries. */
    public static RetryStrategy none() {
        return NONE;
    }

    public static RetryStrategy of(int maxRetries, Duration delay) {
        return exponential(maxRetries, delay, 1, delay);
    }

    public static RetryStrategy after(Duration... delays) {
        return new RetryStrategy(List.of(delays), 0);
    }

    /** Each delay is the previous one times the multiplier, at most {@code maxInterval}. */
    public static RetryStrategy exponential(
            int maxRetries, Duration initialInterval, double multiplier, Duration maxInterval) {
        List<Duration> delays = new ArrayList<>();
        double millis = initialInterval.toNanos() / 1e6;
        for (int i = 0; i < maxRetries; i++) {
            double bounded = Math.min(millis, maxInterval.toNanos() / 1e6);
            delays.add(Duration.ofNanos(Math.round(bounded * 1e6)));
            millis = bounded * multiplier;
        }
        return new RetryStrategy(delays, 0);
    }

    public RetryStrategy withJitter(double share) {
        return new RetryStrategy(delays, share);
    }

    public int maxRetries() {
        return delays.size();
    }

    /** All delays together, at their longest. */
    public Duration total() {
        Duration total = delays.stream().reduce(Duration.ZERO, Duration::plus);
        return jitter == 0 ? total : Duration.ofNanos((long) (total.toNanos() * (1 + jitter)));
    }

    /**
     * @param retry 0 for the first retry
     * @param random 0 to 1, the position of the delay within its jitter
     */
    public Duration delay(int retry, double random) {
        Duration delay = delays.get(retry);
        return jitter == 0 ? delay : Duration.ofNanos((long) (delay.toNanos() * (1 + jitter * (2 * random - 1))));
    }
}
