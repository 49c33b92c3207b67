// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.node.SafeBunnyOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The poison queue (others say dead-letter queue, DLQ or parking lot).
 *
 * @param ttl How long a poison message is kept; after that it is deleted. Not set: for ever. This is a queue argument: changing
 *     it later needs a new queue.
 * @param maxLength Maximum number of messages in the poison queue. Not set: unbounded, so anybody who may publish can fill the
 *     broker's disk. A full queue loses nothing: it refuses further messages (reject-publish), each of which holds its place in
 *     the prefetch for half a minute and then waits in {node}-dead-letters, which has no bound. This is a queue argument:
 *     changing it later needs a new queue.
 * @param archiveTtl How long a copy discarded from the poison queue is kept in {node}-poison-archive, from where it can be restored;
 *     after that it is deleted. Raising it costs disk on the broker. This is a queue argument: changing it later needs a new queue.
 * @param exceptionDetails What logs, poison messages and records contain of an exception and its causes: everything (full), or only class,
 *     SB code and place (type-only). Use type-only where exception texts may quote message or database content.
 */
@ConfigurationProperties("safebunny.poison")
public record PoisonProperties(
        @Nullable Duration ttl,
        @Nullable Long maxLength,
        @DefaultValue("30d") Duration archiveTtl,
        @DefaultValue("full") ExceptionDetails exceptionDetails)
        implements NodeProperties {

    public PoisonProperties {
        if (ttl != null) {
            InvalidProperty.unlessWithin(
                    Duration.ofMillis(1), Duration.ofDays(365), "safebunny.poison.ttl", ttl, "no limit");
        }
        InvalidProperty.unlessWithin(
                Duration.ofMillis(1), Duration.ofDays(365), "safebunny.poison.archive-ttl", archiveTtl, "30d");
        if (maxLength != null) {
            InvalidProperty.unlessWithin(1L, 1_000_000_000L, "safebunny.poison.max-length", maxLength, "no bound");
        }
    }

    @Override
    public SafeBunnyOptions applyTo(SafeBunnyOptions options) {
        return options.withExceptionDetails(exceptionDetails);
    }
}
