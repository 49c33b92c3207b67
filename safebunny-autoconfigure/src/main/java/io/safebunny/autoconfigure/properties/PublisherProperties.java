// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.node.SafeBunnyOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are published.
 *
 * @param maxConcurrency Maximum number of publisher channels; further publishing threads wait for one. Raising it costs memory
 *     and a process per channel on the broker. RabbitMQ only.
 * @param timeout How long a publication may take until its confirm, including the wait for its turn and retries after a lost
 *     connection; after that it fails. Raising it makes callers wait longer while the broker is away.
 * @param maxInFlight Maximum number of unconfirmed publications; further ones wait. Raising it costs heap: each holds its body.
 * @param userId Whether every message except poison copies carries the broker user that published it as user_id, which the broker
 *     verifies. The user name must not change while the node runs. RabbitMQ only.
 * @param encoding Content encoding of this node's publications, such as gzip; or several, separated by commas, in the order in
 *     which they are applied. Needs a BodyCodec bean for each, here and in every node that consumes them. Costs the time to encode
 *     and decode.
 */
@ConfigurationProperties("safebunny.publisher")
public record PublisherProperties(
        @DefaultValue("8") int maxConcurrency,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue("1000") int maxInFlight,
        @DefaultValue("false") boolean userId,
        @Nullable String encoding)
        implements NodeProperties {

    public PublisherProperties {
        InvalidProperty.unlessWithin(1, 2000, "safebunny.publisher.max-concurrency", maxConcurrency, "8");
        InvalidProperty.unlessWithin(
                Duration.ofMillis(1), Duration.ofHours(1), "safebunny.publisher.timeout", timeout, "30s");
        InvalidProperty.unlessWithin(1, 1_000_000, "safebunny.publisher.max-in-flight", maxInFlight, "1000");
    }

    @Override
    public SafeBunnyOptions applyTo(SafeBunnyOptions options) {
        return options.withPublishTimeout(timeout).withMaxInFlight(maxInFlight);
    }
}
