// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.message.Names;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * @param prefix name of the main exchange and beginning of all other exchanges
 * @param queueType kind of all queues
 * @param deliveryLimit failed deliveries after which a quorum queue itself sets a message aside
 * @param poisonTtl how long a poison message is kept; {@code null} for ever
 * @param poisonMaxLength messages in the poison queue at most; further ones are refused. {@code null} for no bound
 */
public record TopologyOptions(
        String prefix,
        QueueType queueType,
        int deliveryLimit,
        @Nullable Duration poisonTtl,
        @Nullable Long poisonMaxLength) {

    public TopologyOptions {
        Names.requirePrefix(prefix);
    }

    /** With a poison queue without bound. */
    public TopologyOptions(String prefix, QueueType queueType, int deliveryLimit, @Nullable Duration poisonTtl) {
        this(prefix, queueType, deliveryLimit, poisonTtl, null);
    }

    public static TopologyOptions defaults() {
        return new TopologyOptions("safebunny", QueueType.QUORUM, 20, null);
    }

    public String mainExchange() {
        return prefix;
    }

    public String poisonExchange() {
        return prefix + ".poison";
    }

    public String delayedExchange() {
        return prefix + ".delayed";
    }

    /** Direct exchange that takes delayed publications when their delay is over, by {@code {node}-{Type}}. */
    public String dueExchange() {
        return prefix + ".due";
    }

    /** Topic exchange through which a node delays messages: with their routing key, so that permissions can be told by it. */
    public String laterExchange() {
        return prefix + ".later";
    }

    /** Topic exchange through which a node sends to its own queues, by their names. */
    public String ownExchange() {
        return prefix + ".own";
    }

    /** Fanout exchange and queue for delayed messages whose destination is gone. */
    public String unrouted() {
        return prefix + ".unrouted";
    }

    /** Direct exchange that leads back to one queue by its name. */
    public String retryExchange() {
        return prefix + ".retry";
    }
}
