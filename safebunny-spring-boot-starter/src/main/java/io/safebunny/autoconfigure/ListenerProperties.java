// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are taken from the queues.
 *
 * @param prefetch How many messages of one type are handled at once, unless a handler says otherwise; 1 to 2000.
 *     Raising it costs a thread per message in work, and more messages are delivered again when the process dies.
 * @param trustedUsers As which user of the broker each node publishes, by the node's name. A type that comes from a node
 *     named here is taken only with the user_id of one of its senders; all of them must be named then, and this node
 *     itself, which sends its user_id too. Empty: not checked. RabbitMQ only.
 */
@ConfigurationProperties("safebunny.listener")
record ListenerProperties(
        @DefaultValue("10") int prefetch, @DefaultValue Map<String, String> trustedUsers) {

    ListenerProperties {
        InvalidProperty.unlessWithin(1, 2000, "safebunny.listener.prefetch", prefetch, "10");
    }
}
