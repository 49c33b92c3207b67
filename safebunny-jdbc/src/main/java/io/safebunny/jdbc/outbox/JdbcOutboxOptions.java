// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.message.Names;
import java.time.Duration;

/**
 * Settings of an outbox. Immutable.
 *
 * @param node name of the publishing node. Different nodes may share a table; instances of one node must
 * @param tablePrefix prefix of the table's name; may include a schema, as in {@code messaging.safebunny_}
 * @param relayInterval how often the relay looks for unsent messages; at least 10 ms
 * @param relayAfter time during which only the instance that stored a message may send it; at least 100 ms
 * @param batchSize rows read or deleted with one statement; 1 to 1,000
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
        TablePrefix.require(tablePrefix);
        InvalidProperty.unlessAtLeast(Duration.ofMillis(10), "safebunny.outbox.relay-interval", relayInterval, "5s");
        InvalidProperty.unlessAtLeast(Duration.ofMillis(100), "relayAfter", relayAfter, "10s");
        InvalidProperty.unlessAtLeast(Duration.ofSeconds(1), "safebunny.store.jdbc.timeout", timeout, "5s");
        InvalidProperty.unlessWithin(1, LARGEST_BATCH, "batchSize", batchSize, "200");
    }

    /** Table {@code safebunny_outbox}, every 5 s, after 10 s, 200 rows, 5 s. */
    public static JdbcOutboxOptions of(String node) {
        return new JdbcOutboxOptions(
                node,
                TablePrefix.DEFAULT,
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
