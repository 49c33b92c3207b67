// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Publications of the application's own transactions.
 *
 * @param enabled Whether what is published outside handlers in a Spring transaction is stored with it, sent after its commit
 *     and never after its rollback. When false it is sent at once, whatever becomes of the transaction. Needs one DataSource
 *     and its transaction manager.
 * @param relayInterval How often each instance looks for messages that nobody has sent, and how long one that failed waits at
 *     first. Raising it makes messages that a crash left behind wait longer; lowering it costs queries. At least 10ms.
 * @param relayAfter How long a message is left to the instance that stored it. Raising it makes what a crash left behind wait
 *     longer; a message whose confirm takes longer may be sent twice. At least 100ms.
 * @param batchSize How many rows are read, and deleted, with one statement; 1 to 1000. Raising it costs heap: up to four
 *     batches are on their way at once.
 */
@ConfigurationProperties("safebunny.outbox")
record JdbcOutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("5s") Duration relayInterval,
        @DefaultValue("10s") Duration relayAfter,
        @DefaultValue("200") int batchSize) {}
