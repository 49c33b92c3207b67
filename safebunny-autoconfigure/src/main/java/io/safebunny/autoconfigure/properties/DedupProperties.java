// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.Retention;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long duplicates are recognised, and claims respected.
 *
 * @param retention How long handled messages are remembered. With a store, a message older than this goes to the poison queue,
 *     because a duplicate of it could no longer be recognised. Raising it costs storage: one record per handled message.
 * @param lease How long a claim is respected unless it is renewed, which happens while the handler runs. After a crash the
 *     messages in work wait this long. It is also the interval of the sweeper's rounds and their maximum duration. Lowering it
 *     costs queries, and writes to the store for handlers that run longer than a third of it; a transactional store uses it for
 *     the sweeper only.
 */
@ConfigurationProperties("safebunny.dedup")
public record DedupProperties(
        @DefaultValue("7d") Duration retention,
        @DefaultValue("30s") Duration lease) implements NodeProperties {

    public DedupProperties {
        InvalidProperty.unlessWithin(
                Duration.ofSeconds(1), Duration.ofDays(3650), "safebunny.dedup.retention", retention, "7d");
        InvalidProperty.unlessWithin(Duration.ofSeconds(1), Duration.ofHours(1), "safebunny.dedup.lease", lease, "30s");
    }

    @Override
    public SafeBunnyOptions applyTo(SafeBunnyOptions options) {
        return options.withRetention(retention)
                .withPoisonRetention(poisonRetention(options.topology()))
                .withLease(lease);
    }

    /** The longest time that a copy can spend in the poison queue and the archive together; 90 days if the queue has no time to live. */
    private Duration poisonRetention(TopologyOptions topology) {
        Duration ttl = topology.poison().ttl();
        Duration copies = ttl == null
                ? Retention.DEFAULT_POISONED
                : ttl.plus(topology.poison().archiveTtl());
        return copies.compareTo(retention) < 0 ? retention : copies;
    }
}
