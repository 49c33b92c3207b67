// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.node.SafeBunnyOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Large bodies, which are kept in a store while their messages carry references.
 *
 * @param above Size of the largest body, compressed and encrypted, that is sent with its message; larger ones are put into the store.
 *     Raising it costs memory and disk of the broker, lowering it a write and a read of the store for each message.
 * @param store Name of the store into which bodies are put, if there are several. They are fetched from all.
 * @param retention How long a body is kept; never shorter than safebunny.dedup.retention plus the time for which poison messages are
 *     remembered. Not set: 30 days longer than these. So much longer may a message be delayed. The same on all nodes that share a store.
 * @param files Bodies in files.
 */
@ConfigurationProperties("safebunny.claim-check")
record ClaimCheckProperties(
        @DefaultValue("256KB") DataSize above,
        @Nullable String store,
        @Nullable Duration retention,
        Files files) {

    private static final Duration FOR_DELAYS = Duration.ofDays(30);
    private static final String RETENTION = "safebunny.claim-check.retention";

    ClaimCheckProperties {
        InvalidProperty.unlessAtLeast(DataSize.ofBytes(1), "safebunny.claim-check.above", above, "256KB");
        files = files == null ? new Files(null) : files;
    }

    /** How long somebody can ask for a body after its message was due. */
    static Duration needed(SafeBunnyOptions options) {
        return options.retention().plus(options.poisonRetention());
    }

    /** @throws ConfigurationException SB-1301 if bodies would be deleted that are still needed */
    Duration kept(SafeBunnyOptions options) {
        Duration needed = needed(options);
        if (retention == null) {
            return needed.plus(FOR_DELAYS);
        }
        if (retention.compareTo(needed) < 0) {
            throw InvalidProperty.of(
                    RETENTION,
                    retention,
                    "it must be at least %s days: safebunny.dedup.retention, and the time for which poison messages are remembered"
                            .formatted(needed.plusDays(1).minusNanos(1).toDays()),
                    "Set %s to that and the longest delay of a message, or remove it.".formatted(RETENTION));
        }
        return retention;
    }

    /**
     * Bodies in files.
     *
     * @param location Folder that all nodes share, such as /mnt/bodies. Each body is a file. Not set: bodies are not kept in files.
     */
    record Files(@Nullable Path location) {}
}
