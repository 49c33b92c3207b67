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
 * @param poison what limits the poison queue and its archive
 */
public record TopologyOptions(String prefix, QueueType queueType, int deliveryLimit, PoisonLimits poison) {

    /**
     * The limits of the poison queue and its archive.
     *
     * @param ttl how long a poison message is kept; {@code null} for unlimited
     * @param maxLength maximum number of messages in the poison queue; further ones are refused. {@code null} for unlimited
     * @param archiveTtl how long copies discarded from the poison queue are kept
     */
    public record PoisonLimits(
            @Nullable Duration ttl, @Nullable Long maxLength, Duration archiveTtl) {

        /** An unbounded poison queue, and 30 days in the archive. */
        public static PoisonLimits defaults() {
            return new PoisonLimits(null, null, Duration.ofDays(30));
        }

        public PoisonLimits withTtl(@Nullable Duration other) {
            return new PoisonLimits(other, maxLength, archiveTtl);
        }

        public PoisonLimits withMaxLength(@Nullable Long other) {
            return new PoisonLimits(ttl, other, archiveTtl);
        }
    }

    public TopologyOptions {
        Names.requirePrefix(prefix);
    }

    /** {@code safebunny}, quorum queues, 20 failed deliveries, and the default {@link PoisonLimits}. */
    public static TopologyOptions defaults() {
        return new TopologyOptions("safebunny", QueueType.QUORUM, 20, PoisonLimits.defaults());
    }

    public TopologyOptions withPrefix(String other) {
        return new TopologyOptions(other, queueType, deliveryLimit, poison);
    }

    public TopologyOptions withQueueType(QueueType other) {
        return new TopologyOptions(prefix, other, deliveryLimit, poison);
    }

    public TopologyOptions withDeliveryLimit(int other) {
        return new TopologyOptions(prefix, queueType, other, poison);
    }

    public TopologyOptions withPoison(PoisonLimits other) {
        return new TopologyOptions(prefix, queueType, deliveryLimit, other);
    }

    public String mainExchange() {
        return prefix;
    }

    /**
     * Topic exchange through which running instances reach each other. The routing key is the node's name for its own instances, or
     * begins with {@code _all}, which is no node's name.
     */
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

    /** Direct exchange that routes a message back to its queue, by the queue's name. */
    public String retryExchange() {
        return prefix + ".retry";
    }
}
