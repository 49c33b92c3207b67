// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import io.safebunny.failure.MisuseException;
import java.time.Duration;

/**
 * In-memory retries as configured. Immutable.
 *
 * @param maxRetries retries after the first try, 0 for none
 * @param initialInterval wait before the first retry
 * @param multiplier factor from one wait to the next, at least 1
 * @param maxInterval longest wait
 * @param jitter fraction of each wait, 0 to 1, by which it is randomly shortened or lengthened
 */
public record RetrySettings(
        int maxRetries, Duration initialInterval, double multiplier, Duration maxInterval, double jitter) {

    public RetrySettings {
        if (maxRetries < 0
                || multiplier < 1
                || jitter < 0
                || jitter > 1
                || initialInterval.isNegative()
                || maxInterval.isNegative()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid retry settings [max-retries=%s (>= 0), initial-interval=%s, multiplier=%s (>= 1), max-interval=%s, jitter=%s (0 to 1)]: at least one is out of range. Set safebunny.retry.*, or retry of the handler, within these."
                            .formatted(maxRetries, initialInterval, multiplier, maxInterval, jitter));
        }
    }

    public RetryStrategy toStrategy() {
        return RetryStrategy.exponential(maxRetries, initialInterval, multiplier, maxInterval)
                .withJitter(jitter);
    }
}
