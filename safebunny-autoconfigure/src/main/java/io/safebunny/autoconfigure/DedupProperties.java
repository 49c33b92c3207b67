// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.store.Retention;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long duplicates are recognised, and claims respected.
 *
 * @param retention How long handled messages are remembered. With a store, a message older than this goes to the poison queue,
 *     because a duplicate of it could no longer be recognised. Raising it costs storage: one record per handled message.
 * @param poisonRetention How long messages in the poison queue are remembered, with the results of their steps, so that a replay repeats none.
 *     Counted from when a message was set aside last; at least the retention. Raising it costs storage: one record per poison message.
 * @param lease How long a claim is respected unless it is renewed, which happens while the handler runs. After a crash the
 *     messages in work wait this long. It is also the interval of the sweeper's rounds and their maximum duration. Lowering it
 *     costs queries, and writes to the store for handlers that run longer than a third of it; a transactional store uses it for
 *     the sweeper only.
 */
@ConfigurationProperties("safebunny.dedup")
record DedupProperties(
        @DefaultValue("7d") Duration retention,
        @DefaultValue("90d") Duration poisonRetention,
        @DefaultValue("30s") Duration lease) {

    DedupProperties {
        InvalidProperty.unlessWithin(
                Duration.ofSeconds(1), Duration.ofDays(3650), "safebunny.dedup.retention", retention, "7d");
        InvalidProperty.unlessWithin(
                Duration.ofSeconds(1),
                Duration.ofDays(3650),
                "safebunny.dedup.poison-retention",
                poisonRetention,
                "90d");
        InvalidProperty.unlessWithin(Duration.ofSeconds(1), Duration.ofHours(1), "safebunny.dedup.lease", lease, "30s");
        Retention unused = new Retention(retention, poisonRetention); // refuses what does not fit together
    }

    Retention toRetention() {
        return new Retention(retention, poisonRetention);
    }
}
