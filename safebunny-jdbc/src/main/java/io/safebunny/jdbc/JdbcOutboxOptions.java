// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Names;
import java.time.Duration;

/**
 * Settings of an outbox. Immutable.
 *
 * @param node name of the publishing node: nodes may share a table, instances of one node do
 * @param tablePrefix what the table's name begins with; may name a schema, as {@code messaging.safebunny_}
 * @param relayInterval how often is looked for messages that nobody has sent; at least 10 ms
 * @param relayAfter how long a message is left to the instance that stored it; at least 100 ms
 * @param batchSize rows that are read, and deleted, with one statement; 1 to 1,000
 * @param timeout how long one statement may take; at least 1 s
 */
public record JdbcOutboxOptions(
        String node, String tablePrefix, Duration relayInterval, Duration relayAfter, int batchSize, Duration timeout) {

    public static final Duration DEFAULT_RELAY_INTERVAL = Duration.ofSeconds(5);
    public static final Duration DEFAULT_RELAY_AFTER = Duration.ofSeconds(10);
    public static final int DEFAULT_BATCH_SIZE = 200;

    private static final int LARGEST_BATCH = 1_000;

    /** @throws ConfigurationException SB-1001 or SB-1301 */
    public JdbcOutboxOptions {
        Names.requireNode(node, "safebunny.node");
        JdbcStoreOptions.requireTablePrefix(tablePrefix);
        requireAtLeast(Duration.ofMillis(10), "safebunny.outbox.relay-interval", relayInterval, "5s");
        requireAtLeast(Duration.ofMillis(100), "safebunny.outbox.relay-after", relayAfter, "10s");
        requireAtLeast(Duration.ofSeconds(1), "safebunny.store.jdbc.timeout", timeout, "5s");
        if (batchSize < 1 || batchSize > LARGEST_BATCH) {
            throw new ConfigurationException(
                    "SB-1301",
                    "Invalid property [safebunny.outbox.batch-size=%d]: it must be 1 to %d."
                            .formatted(batchSize, LARGEST_BATCH),
                    "Remove safebunny.outbox.batch-size to get the default, 200.");
        }
    }

    private static void requireAtLeast(Duration least, String property, Duration value, String fallback) {
        if (value.compareTo(least) < 0) {
            throw new ConfigurationException(
                    "SB-1301",
                    "Invalid property [%s=%d ms]: it must be at least %d ms."
                            .formatted(property, value.toMillis(), least.toMillis()),
                    "Remove %s to get the default, %s.".formatted(property, fallback));
        }
    }

    /** Table {@code safebunny_outbox}, every 5 s, after 10 s, 200 rows, 5 s. */
    public static JdbcOutboxOptions of(String node) {
        return new JdbcOutboxOptions(
                node,
                JdbcStoreOptions.DEFAULT_TABLE_PREFIX,
                DEFAULT_RELAY_INTERVAL,
                DEFAULT_RELAY_AFTER,
                DEFAULT_BATCH_SIZE,
                Duration.ofSeconds(5));
    }

    public JdbcOutboxOptions withRelay(Duration newInterval, Duration newAfter) {
        return new JdbcOutboxOptions(node, tablePrefix, newInterval, newAfter, batchSize, timeout);
    }

    public JdbcOutboxOptions withBatchSize(int newBatchSize) {
        return new JdbcOutboxOptions(node, tablePrefix, relayInterval, relayAfter, newBatchSize, timeout);
    }

    public JdbcOutboxOptions withTablePrefix(String newTablePrefix) {
        return new JdbcOutboxOptions(node, newTablePrefix, relayInterval, relayAfter, batchSize, timeout);
    }
}
