// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long duplicates are recognised.
 *
 * @param retention How long handled messages are remembered. With a store, a message older than this goes to the poison
 *     queue, because a duplicate could no longer be told. Raising it costs storage: one record per handled message.
 * @param lease How long the claim of a message being handled is respected when it does not change; it is renewed while the
 *     handler runs. After a crash its messages wait this long. The sweeper's rounds are so far apart, and last so long at
 *     most. Lowering it costs writes to the store for handlers that run longer than a third of it, and queries; a
 *     transactional store uses it for the sweeper only.
 */
@ConfigurationProperties("safebunny.dedup")
record DedupProperties(
        @DefaultValue("7d") Duration retention,
        @DefaultValue("30s") Duration lease) {

    DedupProperties {
        InvalidProperty.unlessWithin(
                Duration.ofSeconds(1), Duration.ofDays(3650), "safebunny.dedup.retention", retention, "7d");
        InvalidProperty.unlessWithin(Duration.ofSeconds(1), Duration.ofHours(1), "safebunny.dedup.lease", lease, "30s");
    }
}
