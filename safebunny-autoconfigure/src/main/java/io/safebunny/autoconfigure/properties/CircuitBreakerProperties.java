// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.breaker.BreakerSettings;
import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * When the circuit breaker pauses a message type, and how the type resumes.
 *
 * @param failureRateThreshold Percentage of failed messages among the latest 100 of a type, in-memory retries included, at which
 *     the type is paused; 0 for never. Messages that are poison themselves do not count.
 * @param minimumNumberOfCalls How many messages of a type must have been handled before its failure rate counts; 1 to 100.
 * @param waitDurationInOpenState How long a type stays paused after too many messages failed, the store did not answer or
 *     publications were not confirmed. Raising it gives the failing system more rest, but notices its recovery later.
 */
@ConfigurationProperties("safebunny.circuit-breaker")
public record CircuitBreakerProperties(
        @DefaultValue("50") float failureRateThreshold,
        @DefaultValue("100") int minimumNumberOfCalls,
        @DefaultValue("30s") Duration waitDurationInOpenState) {

    private static final String PREFIX = "safebunny.circuit-breaker.";
    private static final int WINDOW = 100;
    private static final int PROBES = 3;

    public CircuitBreakerProperties {
        InvalidProperty.unlessWithin(
                0.0, 100.0, PREFIX + "failure-rate-threshold", (double) failureRateThreshold, "50");
        InvalidProperty.unlessWithin(1, WINDOW, PREFIX + "minimum-number-of-calls", minimumNumberOfCalls, "100");
        InvalidProperty.unlessWithin(
                Duration.ofMillis(100),
                Duration.ofDays(1),
                PREFIX + "wait-duration-in-open-state",
                waitDurationInOpenState,
                "30s");
    }

    public BreakerSettings toSettings() {
        return new BreakerSettings(failureRateThreshold, WINDOW, minimumNumberOfCalls, waitDurationInOpenState, PROBES);
    }
}
