// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Delayed retries of handlers that do not configure their own.
 *
 * @param delays Delays of the delayed retries, one retry per element; empty for none. In between the message waits on the broker
 *     and takes no place in the prefetch. Each delayed retry runs all in-memory retries again: 2 in-memory and 3 delayed retries
 *     make 12 tries.
 */
@ConfigurationProperties("safebunny.delayed-retry")
public record DelayedRetryProperties(
        @DefaultValue({"10s", "1m", "10m"}) List<Duration> delays) {

    private static final String DEFAULT_DELAYS = "10s,1m,10m";

    public DelayedRetryProperties {
        delays = List.copyOf(delays);
        InvalidProperty.unlessWithin(
                0, 100, "safebunny.delayed-retry.delays (number of elements)", delays.size(), DEFAULT_DELAYS);
        for (Duration delay : delays) {
            InvalidProperty.unlessWithin(
                    Duration.ZERO, Duration.ofDays(365), "safebunny.delayed-retry.delays", delay, DEFAULT_DELAYS);
        }
    }
}
