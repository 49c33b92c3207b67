// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.node.SafeBunnyOptions;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are consumed.
 *
 * @param autoStartup Whether the node consumes when it has started. If not, it publishes but consumes nothing, and each type begins
 *     when it is resumed: by the endpoint, or by BunnyOperations.
 * @param prefetch How many messages of one type are handled at once, unless its handler says otherwise; 1 to 2000. Raising it
 *     costs a thread per message, and more messages are redelivered when the process dies.
 * @param messagesPerTransaction How many waiting messages of one type may share a transaction, each behind a savepoint, unless their
 *     handler says otherwise; 1 to 32. 1: each has its own. Raising it saves commits; locks are held, and messages unacknowledged, until
 *     the last of the group is handled, one after the other. Not for sagas; needs PostgreSQL and a JdbcTransactionManager.
 * @param batchSize How many waiting messages a batch handler, which takes a list of them, gets in one call at most, unless it says otherwise;
 *     1 to 200. Its prefetch is twice that, unless it sets one. Raising it saves round trips and commits; a batch that fails is repeated in
 *     halves, and its messages are unacknowledged until all of it is handled.
 * @param trustedUsers The broker user that each node publishes as, by node name. A type is checked if any of its senders is listed: its
 *     messages then need the user_id of one of its senders. List all senders of such a type, and this node too, which then sends its own
 *     user_id. Empty: not checked. RabbitMQ only.
 * @param rates How many messages of a type begin to be handled in a time, at most, on all instances together, such as 400/min, 100/10s or 1/h, by
 *     type; none for any number. Takes precedence over the handler's own rate. Lowering it makes messages wait, in the queue and for up to a
 *     minute in place; without a store that all instances share, each has the rate by itself. Not for batch handlers.
 */
@ConfigurationProperties("safebunny.listener")
public record ListenerProperties(
        @DefaultValue("true") boolean autoStartup,
        @DefaultValue("10") int prefetch,
        @DefaultValue("1") int messagesPerTransaction,
        @DefaultValue("100") int batchSize,
        @DefaultValue Map<String, String> trustedUsers,
        @DefaultValue Map<String, String> rates)
        implements NodeProperties {

    public ListenerProperties {
        InvalidProperty.unlessWithin(1, 2000, "safebunny.listener.prefetch", prefetch, "10");
        InvalidProperty.unlessWithin(1, 32, "safebunny.listener.messages-per-transaction", messagesPerTransaction, "1");
        InvalidProperty.unlessWithin(1, 200, "safebunny.listener.batch-size", batchSize, "100");
    }

    @Override
    public SafeBunnyOptions applyTo(SafeBunnyOptions options) {
        return options.withAutoStartup(autoStartup).withTrustedUsers(new TrustedUsers(trustedUsers));
    }
}
