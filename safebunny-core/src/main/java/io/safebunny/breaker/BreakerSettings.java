// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import java.time.Duration;

/**
 * When breakers open by themselves, and how they close; the names are Resilience4j's.
 *
 * @param failureRateThreshold percentage of failed messages at which the breaker opens; 0 for never
 * @param slidingWindowSize number of latest messages that count
 * @param minimumNumberOfCalls messages before the rate counts; at most the size of the window
 * @param waitDurationInOpenState how long it stays open after it opened by itself
 * @param permittedNumberOfCallsInHalfOpenState messages handled one by one before it closes
 */
public record BreakerSettings(
        float failureRateThreshold,
        int slidingWindowSize,
        int minimumNumberOfCalls,
        Duration waitDurationInOpenState,
        int permittedNumberOfCallsInHalfOpenState) {

    /** Never opens because of failed messages. */
    BreakerSettings withoutFailureRate() {
        return new BreakerSettings(
                0,
                slidingWindowSize,
                minimumNumberOfCalls,
                waitDurationInOpenState,
                permittedNumberOfCallsInHalfOpenState);
    }

    /** Opens for 30 s when half of the latest 100 messages failed; 3 probes. */
    public static BreakerSettings defaults() {
        return new BreakerSettings(50, 100, 100, Duration.ofSeconds(30), 3);
    }
}
