// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.message.Names;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import java.net.URI;
import org.jspecify.annotations.Nullable;
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
 * @param managementUri Where RabbitMQ's management API listens, such as http://broker:15672. If set, the starting node and the topology
 *     plan ask it for policies and bindings, as the user of spring.rabbitmq, and warn of any that lose messages.
 */
@ConfigurationProperties("safebunny.topology")
public record TopologyProperties(
        @DefaultValue("safebunny") String prefix,
        @DefaultValue("quorum") QueueType queueType,
        @DefaultValue("20") int deliveryLimit,
        @Nullable URI managementUri) {

    public TopologyProperties {
        Names.requirePrefix(prefix);
        if (managementUri != null
                && (managementUri.getHost() == null
                        || !String.valueOf(managementUri.getScheme()).matches("https?")
                        || managementUri.getUserInfo() != null)) {
            throw InvalidProperty.of(
                    "safebunny.topology.management-uri",
                    managementUri.getHost() == null ? "…" : managementUri.getScheme() + "://…",
                    "it must be an http or https address with a host, and without user and password",
                    "Set it like http://broker:15672; user and password are those of spring.rabbitmq.");
        }
        InvalidProperty.unlessWithin(5, 1_000_000, "safebunny.topology.delivery-limit", deliveryLimit, "20");
    }

    /** Returns the options of the topology; those of the poison queue have a section of their own. */
    public TopologyOptions toOptions(PoisonProperties poison) {
        return TopologyOptions.defaults()
                .withPrefix(prefix)
                .withQueueType(queueType)
                .withDeliveryLimit(deliveryLimit)
                .withPoison(new PoisonLimits(poison.ttl(), poison.maxLength(), poison.archiveTtl()));
    }
}
