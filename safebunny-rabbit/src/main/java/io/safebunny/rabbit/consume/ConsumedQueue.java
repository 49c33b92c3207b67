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
 * @param quarantine decides which deliveries are isolated, and for how long others wait for them
 */
public record ConsumedQueue(String name, int prefetch, boolean countsDeliveries, QuarantinePolicy quarantine) {

    /** @param topology tells the queue type and the delivery limit */
    public static ConsumedQueue of(String name, int prefetch, TopologyOptions topology) {
        return new ConsumedQueue(
                name,
                prefetch,
                topology.queueType() == QueueType.QUORUM,
                new QuarantinePolicy(topology.deliveryLimit(), QuarantinePolicy.PATIENCE));
    }
}
