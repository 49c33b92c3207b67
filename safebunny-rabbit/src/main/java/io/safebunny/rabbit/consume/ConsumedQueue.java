// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.TopologyOptions;

/**
 * A queue and how it is consumed. Immutable.
 *
 * @param prefetch maximum number of deliveries handled at once
 * @param countsDeliveries whether the broker counts failed deliveries of this queue (quorum queues)
 * @param quarantine decides which deliveries are isolated, and for how long others wait for them; not used in order
 * @param isOrdered whether the deliveries of one key are handled in the order of the queue
 */
public record ConsumedQueue(
        String name, int prefetch, boolean countsDeliveries, QuarantinePolicy quarantine, boolean isOrdered) {

    public ConsumedQueue(String name, int prefetch, boolean countsDeliveries, QuarantinePolicy quarantine) {
        this(name, prefetch, countsDeliveries, quarantine, false);
    }

    /** @param topology tells the queue type and the delivery limit */
    public static ConsumedQueue of(String name, int prefetch, TopologyOptions topology) {
        return new ConsumedQueue(
                name,
                prefetch,
                topology.queueType() == QueueType.QUORUM,
                new QuarantinePolicy(topology.deliveryLimit(), QuarantinePolicy.PATIENCE));
    }

    /** The same queue, consumed in order. What the broker counts is no evidence there: pauses and orderly stops count, too. */
    public ConsumedQueue ordered() {
        return new ConsumedQueue(name, prefetch, false, quarantine, true);
    }
}
