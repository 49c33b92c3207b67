// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.message.Names;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Names and arguments on the broker. Immutable. Create it with {@link #defaults} and the {@code with} methods: the constructor
 * gets a parameter with every new setting.
 *
 * @param prefix name of the main exchange, and prefix of all other exchanges
 * @param queueType type of all queues
 * @param deliveryLimit number of failed deliveries after which a quorum queue itself sets a message aside
 * @param poisonTtl how long a poison message is kept; {@code null} for unlimited
 * @param poisonMaxLength maximum number of messages in the poison queue; further ones are refused. {@code null} for unlimited
 * @param archiveTtl how long copies discarded from the poison queue are kept
 */
public record TopologyOptions(
        String prefix,
        QueueType queueType,
        int deliveryLimit,
        @Nullable Duration poisonTtl,
        @Nullable Long poisonMaxLength,
        Duration archiveTtl) {

    private static final Duration ARCHIVE_TTL = Duration.ofDays(30);

    public TopologyOptions {
        Names.requirePrefix(prefix);
    }

    /** {@code safebunny}, quorum queues, 20 failed deliveries, an unbounded poison queue, and 30 days in the archive. */
    public static TopologyOptions defaults() {
        return new TopologyOptions("safebunny", QueueType.QUORUM, 20, null, null, ARCHIVE_TTL);
    }

    public TopologyOptions withPrefix(String other) {
        return new TopologyOptions(other, queueType, deliveryLimit, poisonTtl, poisonMaxLength, archiveTtl);
    }

    public TopologyOptions withQueueType(QueueType other) {
        return new TopologyOptions(prefix, other, deliveryLimit, poisonTtl, poisonMaxLength, archiveTtl);
    }

    public TopologyOptions withDeliveryLimit(int other) {
        return new TopologyOptions(prefix, queueType, other, poisonTtl, poisonMaxLength, archiveTtl);
    }

    public TopologyOptions withPoisonTtl(@Nullable Duration other) {
        return new TopologyOptions(prefix, queueType, deliveryLimit, other, poisonMaxLength, archiveTtl);
    }

    public TopologyOptions withPoisonMaxLength(@Nullable Long other) {
        return new TopologyOptions(prefix, queueType, deliveryLimit, poisonTtl, other, archiveTtl);
    }

    public TopologyOptions withArchiveTtl(Duration other) {
        return new TopologyOptions(prefix, queueType, deliveryLimit, poisonTtl, poisonMaxLength, other);
    }

    public String mainExchange() {
        return prefix;
    }

    /** Topic exchange through which the instances of a node reach each other, with the node's name as the routing key. */
    public String controlExchange() {
        return prefix + ".control";
    }

    public String poisonExchange() {
        return prefix + ".poison";
    }

    public String delayedExchange() {
        return prefix + ".delayed";
    }

    /** Direct exchange for delayed publications whose delay is over; routing keys are {@code {node}-{Type}}. */
    public String dueExchange() {
        return prefix + ".due";
    }

    /** Topic exchange through which a node delays messages. They keep their routing keys, so that topic permissions apply. */
    public String laterExchange() {
        return prefix + ".later";
    }

    /** Topic exchange through which a node sends to its own queues, by name. */
    public String ownExchange() {
        return prefix + ".own";
    }

    /** Name of the fanout exchange and queue for delayed messages whose destination no longer exists. */
    public String unrouted() {
        return prefix + ".unrouted";
    }

    /** Direct exchange that routes back to a queue by its name. */
    public String retryExchange() {
        return prefix + ".retry";
    }
}
