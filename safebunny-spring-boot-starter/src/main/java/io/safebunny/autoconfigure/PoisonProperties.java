// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.ExceptionDetails;
import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The poison queue (others say dead-letter queue, DLQ or parking lot).
 *
 * @param ttl How long a poison message is kept, then it is gone for good. Not set: for ever. It is an argument of the
 *     queue, so changing it later needs a new queue.
 * @param maxLength Messages in the poison queue at most. Not set: no bound, so that whoever may publish can fill the
 *     broker's disk. When it is full nothing is lost: it refuses what comes (reject-publish), which takes its place in
 *     the prefetch for half a minute and then waits in {node}-dead-letters, without bound. It is an argument of the
 *     queue, so changing it later needs a new queue.
 * @param exceptionDetails What logs and poison messages tell of an exception and its causes: everything (full), or
 *     only class, SB code and place (type-only), where texts may quote what is in messages or in the database.
 */
@ConfigurationProperties("safebunny.poison")
record PoisonProperties(
        @Nullable Duration ttl,
        @Nullable Long maxLength,
        @DefaultValue("full") ExceptionDetails exceptionDetails) {

    PoisonProperties {
        if (ttl != null) {
            InvalidProperty.unlessWithin(
                    Duration.ofMillis(1), Duration.ofDays(365), "safebunny.poison.ttl", ttl, "no limit");
        }
        if (maxLength != null) {
            InvalidProperty.unlessWithin(1L, 1_000_000_000L, "safebunny.poison.max-length", maxLength, "no bound");
        }
    }
}
