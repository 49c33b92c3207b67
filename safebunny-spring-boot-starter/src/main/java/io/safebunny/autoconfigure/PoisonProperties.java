// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The poison queue (others say dead-letter queue, DLQ or parking lot).
 *
 * @param ttl How long a poison message is kept, then it is gone for good. Not set: for ever. It is an argument of the
 *     queue, so changing it later needs a new queue.
 */
@ConfigurationProperties("safebunny.poison")
record PoisonProperties(@Nullable Duration ttl) {

    PoisonProperties {
        if (ttl != null) {
            InvalidProperty.unlessWithin(
                    Duration.ofMillis(1), Duration.ofDays(365), "safebunny.poison.ttl", ttl, "no limit");
        }
    }
}
