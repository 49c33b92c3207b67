// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.breaker.BreakerSettings;
import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * When the circuit breaker pauses a message type, and how the type resumes.
 *
 * @param failureRateThreshold Percentage of failed messages of a type, in-memory retries included, at which the type is paused; 0
 *     for never. Messages that are poison themselves do not count.
 * @param slidingWindowSize Number of latest messages of a type over which its failure rate is computed.
 * @param minimumNumberOfCalls How many messages of a type must have been handled before its failure rate counts.
 * @param waitDurationInOpenState How long a type stays paused after too many messages failed, the store did not answer or
 *     publications were not confirmed. Raising it gives the failing system more rest, but notices its recovery later.
 * @param permittedNumberOfCallsInHalfOpenState How many messages are handled one by one after a pause; if they succeed, the type
 *     resumes.
 */
@ConfigurationProperties("safebunny.circuit-breaker")
record CircuitBreakerProperties(
        @DefaultValue("50") float failureRateThreshold,
        @DefaultValue("100") int slidingWindowSize,
        @DefaultValue("100") int minimumNumberOfCalls,
        @DefaultValue("30s") Duration waitDurationInOpenState,
        @DefaultValue("3") int permittedNumberOfCallsInHalfOpenState) {

    private static final String PREFIX = "safebunny.circuit-breaker.";

    CircuitBreakerProperties {
        InvalidProperty.unlessWithin(
                0.0, 100.0, PREFIX + "failure-rate-threshold", (double) failureRateThreshold, "50");
        InvalidProperty.unlessWithin(1, 100_000, PREFIX + "sliding-window-size", slidingWindowSize, "100");
        InvalidProperty.unlessWithin(
                1, slidingWindowSize, PREFIX + "minimum-number-of-calls", minimumNumberOfCalls, "100");
        InvalidProperty.unlessWithin(
                Duration.ofMillis(100),
                Duration.ofDays(1),
                PREFIX + "wait-duration-in-open-state",
                waitDurationInOpenState,
                "30s");
        InvalidProperty.unlessWithin(
                1,
                1000,
                PREFIX + "permitted-number-of-calls-in-half-open-state",
                permittedNumberOfCallsInHalfOpenState,
                "3");
    }

    BreakerSettings toSettings() {
        return new BreakerSettings(
                failureRateThreshold,
                slidingWindowSize,
                minimumNumberOfCalls,
                waitDurationInOpenState,
                permittedNumberOfCallsInHalfOpenState);
    }
}
