// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.message.Names;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Names and arguments on the broker. Made by {@link #defaults} and changed by the {@code with} methods: the constructor grows with every
 * setting.
 *
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

    /** {@code safebunny}, quorum queues, 20 failed deliveries, and a poison queue without bounds. */
    public static TopologyOptions defaults() {
        return new TopologyOptions("safebunny", QueueType.QUORUM, 20, null, null);
    }

    public TopologyOptions withPrefix(String other) {
        return new TopologyOptions(other, queueType, deliveryLimit, poisonTtl, poisonMaxLength);
    }

    public TopologyOptions withQueueType(QueueType other) {
        return new TopologyOptions(prefix, other, deliveryLimit, poisonTtl, poisonMaxLength);
    }

    public TopologyOptions withDeliveryLimit(int other) {
        return new TopologyOptions(prefix, queueType, other, poisonTtl, poisonMaxLength);
    }

    public TopologyOptions withPoisonTtl(@Nullable Duration other) {
        return new TopologyOptions(prefix, queueType, deliveryLimit, other, poisonMaxLength);
    }

    public TopologyOptions withPoisonMaxLength(@Nullable Long other) {
        return new TopologyOptions(prefix, queueType, deliveryLimit, poisonTtl, other);
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
