// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are published.
 *
 * @param maxConcurrency Publisher channels at most; a further publishing thread waits for one. Raising it costs memory
 *     and a process per channel on the broker. RabbitMQ only.
 * @param timeout How long a publication may take until its confirm, waiting its turn and retries after a lost connection
 *     included; then it fails. Raising it makes callers wait longer while the broker is away.
 * @param maxInFlight Publications at most that wait for their confirm; a further one waits. Raising it costs heap: each
 *     holds its body.
 * @param userId Whether every message but poison copies says as user_id which user of the broker published it, which the
 *     broker makes sure of. The user name must not change while the node runs. RabbitMQ only.
 * @param encoding Content encoding of what this node publishes, such as gzip. There must be a BodyCodec bean for it, also at
 *     every node that consumes it. Costs the time to encode and decode.
 */
@ConfigurationProperties("safebunny.publisher")
record PublisherProperties(
        @DefaultValue("8") int maxConcurrency,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue("1000") int maxInFlight,
        @DefaultValue("false") boolean userId,
        @Nullable String encoding) {

    PublisherProperties {
        InvalidProperty.unlessWithin(1, 2000, "safebunny.publisher.max-concurrency", maxConcurrency, "8");
        InvalidProperty.unlessWithin(
                Duration.ofMillis(1), Duration.ofHours(1), "safebunny.publisher.timeout", timeout, "30s");
        InvalidProperty.unlessWithin(1, 1_000_000, "safebunny.publisher.max-in-flight", maxInFlight, "1000");
    }
}
