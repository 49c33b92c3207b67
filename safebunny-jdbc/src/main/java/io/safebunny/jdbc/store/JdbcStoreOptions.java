// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.message.Names;
import io.safebunny.store.Retention;
import java.time.Duration;

/**
 * Settings of a store. Immutable.
 *
 * @param node name of the consuming node. Different nodes may share a table; instances of one node must
 * @param retention how long records in a final state are kept
 * @param tablePrefix prefix of the tables' names; may include a schema, as in {@code messaging.safebunny_}
 * @param maxContentBytes maximum total size of one message's publications and step results
 * @param timeout how long one statement may take, waiting for locks included; at least 1 s
 */
public record JdbcStoreOptions(
        String node, Retention retention, String tablePrefix, long maxContentBytes, Duration timeout) {

    /** Prefix of the tables' names unless another one is set. */
    public static final String DEFAULT_TABLE_PREFIX = TablePrefix.DEFAULT;

    /** Default limit for the total size of one message's publications and step results: 8 MiB. */
    public static final long DEFAULT_MAX_CONTENT_BYTES = 8L * 1024 * 1024;

    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);

    /** @throws ConfigurationException SB-1001 or SB-1301 */
    public JdbcStoreOptions {
        Names.requireNode(node, "safebunny.node");
        TablePrefix.require(tablePrefix);
        InvalidProperty.unlessAtLeast(1L, "maxContentBytes", maxContentBytes, "8MB");
        InvalidProperty.unlessAtLeast(SHORTEST_TIMEOUT, "safebunny.store.jdbc.timeout", timeout, "5s");
    }

    /**
     * Tables {@code safebunny_message}, {@code safebunny_step} and {@code safebunny_companion}, 8 MiB, 5 s; for poisoned records see {@link
     * Retention#of(Duration)}.
     */
    public static JdbcStoreOptions of(String node, Duration retention) {
        return new JdbcStoreOptions(
                node, Retention.of(retention), DEFAULT_TABLE_PREFIX, DEFAULT_MAX_CONTENT_BYTES, Duration.ofSeconds(5));
    }

    public JdbcStoreOptions withRetention(Retention newRetention) {
        return new JdbcStoreOptions(node, newRetention, tablePrefix, maxContentBytes, timeout);
    }

    public JdbcStoreOptions withTablePrefix(String newTablePrefix) {
        return new JdbcStoreOptions(node, retention, newTablePrefix, maxContentBytes, timeout);
    }

    public JdbcStoreOptions withMaxContentBytes(long newMaxContentBytes) {
        return new JdbcStoreOptions(node, retention, tablePrefix, newMaxContentBytes, timeout);
    }

    public JdbcStoreOptions withTimeout(Duration newTimeout) {
        return new JdbcStoreOptions(node, retention, tablePrefix, maxContentBytes, newTimeout);
    }
}
