// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.message.Names;
import io.safebunny.topology.QueueType;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Names and arguments on the broker. Changing them on a running system is a migration: existing queues and exchanges are never
 * changed.
 *
 * @param prefix Name of the main exchange, and prefix of all other exchanges. All nodes that exchange messages share it.
 * @param queueType Type of all queues. Quorum queues are replicated; classic queues are faster on a single broker, but lost with
 *     it.
 * @param deliveryLimit Failed deliveries after which a quorum queue itself sets a message aside, so that a message that kills its
 *     process does not come back for ever. At least 5; raising it allows more crashes per message.
 */
@ConfigurationProperties("safebunny.topology")
record TopologyProperties(
        @DefaultValue("safebunny") String prefix,
        @DefaultValue("quorum") QueueType queueType,
        @DefaultValue("20") int deliveryLimit) {

    TopologyProperties {
        Names.requirePrefix(prefix);
        InvalidProperty.unlessWithin(5, 1_000_000, "safebunny.topology.delivery-limit", deliveryLimit, "20");
    }
}
