// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

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
 * @param relayAfter How long only the instance that stored a message may send it. Raising it delays messages left behind by a
 *     crash; lowering it below the time a confirm takes sends messages twice. At least 100ms.
 * @param batchSize How many rows one statement reads or deletes; 1 to 1000. Raising it costs heap: up to four batches are in
 *     flight at once, besides what waits long for its confirm.
 */
@ConfigurationProperties("safebunny.outbox")
record JdbcOutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("5s") Duration relayInterval,
        @DefaultValue("10s") Duration relayAfter,
        @DefaultValue("200") int batchSize) {}
