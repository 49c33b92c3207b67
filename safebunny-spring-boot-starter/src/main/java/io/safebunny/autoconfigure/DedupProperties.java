// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long duplicates are recognised.
 *
 * @param retention How long handled messages are remembered. With a store, a message older than this goes to the poison
 *     queue, because a duplicate could no longer be told. Raising it costs storage: one record per handled message.
 */
@ConfigurationProperties("safebunny.dedup")
record DedupProperties(@DefaultValue("7d") Duration retention) {

    DedupProperties {
        InvalidProperty.unlessWithin(
                Duration.ofSeconds(1), Duration.ofDays(3650), "safebunny.dedup.retention", retention, "7d");
    }
}
