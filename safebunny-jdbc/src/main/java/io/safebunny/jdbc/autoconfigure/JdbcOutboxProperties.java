// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The outbox: messages published in the application's own transactions.
 *
 * @param enabled Whether a message published outside a handler, in a Spring transaction, is stored in that transaction and sent
 *     only after its commit. When false it is sent at once, even if the transaction is rolled back later. Needs one DataSource
 *     and its transaction manager.
 * @param relayInterval How often each instance looks for unsent messages, and the first delay before a failed one is sent again.
 *     Raising it delays messages left behind by a crash; lowering it costs queries. At least 10ms.
 */
@ConfigurationProperties("safebunny.outbox")
record JdbcOutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("5s") Duration relayInterval) {

    JdbcOutboxOptions toOptions(String node, JdbcStoreProperties database) {
        return new JdbcOutboxOptions(
                node,
                database.tablePrefix(),
                relayInterval,
                JdbcOutboxOptions.DEFAULT_RELAY_AFTER,
                JdbcOutboxOptions.DEFAULT_BATCH_SIZE,
                database.timeout());
    }
}
