// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * In-memory retries of handlers that do not configure their own, and the jitter of all their retries.
 *
 * @param maxRetries How often a failed message is retried in memory after the first try; 0 for never. A message being retried
 *     holds its place in the prefetch, so raising it makes other messages wait longer.
 * @param initialInterval Wait before the first in-memory retry.
 * @param multiplier Factor from one wait to the next, at least 1.
 * @param maxInterval Longest wait between two in-memory retries. Raising it holds a place in the prefetch for longer.
 * @param jitter Fraction of each wait, 0 to 1, by which it is randomly shortened or lengthened, so that messages that failed
 *     together are not retried together. Also applies to the delays of delayed retries.
 */
@ConfigurationProperties("safebunny.retry")
public record RetryProperties(
        @DefaultValue("2") int maxRetries,
        @DefaultValue("100ms") Duration initialInterval,
        @DefaultValue("2") double multiplier,
        @DefaultValue("10s") Duration maxInterval,
        @DefaultValue("0") double jitter) {

    private static final Duration LONGEST = Duration.ofHours(1);

    public RetryProperties {
        InvalidProperty.unlessWithin(0, 1000, "safebunny.retry.max-retries", maxRetries, "2");
        InvalidProperty.unlessWithin(
                Duration.ZERO, LONGEST, "safebunny.retry.initial-interval", initialInterval, "100ms");
        InvalidProperty.unlessWithin(1.0, 1000.0, "safebunny.retry.multiplier", multiplier, "2");
        InvalidProperty.unlessWithin(Duration.ZERO, LONGEST, "safebunny.retry.max-interval", maxInterval, "10s");
        InvalidProperty.unlessWithin(0.0, 1.0, "safebunny.retry.jitter", jitter, "0");
    }

    public RetrySettings toSettings() {
        return new RetrySettings(maxRetries, initialInterval, multiplier, maxInterval, jitter);
    }

    /** Returns the strategy of delayed retries, which share the jitter. */
    public RetryStrategy delayed(DelayedRetryProperties delayedRetry) {
        return new RetryStrategy(delayedRetry.delays(), jitter);
    }
}
