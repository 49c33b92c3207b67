// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.ExchangeKind;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies a topology: declares what is missing, accepts what is equal, refuses what differs. Queues that this user may not declare are
 * an administrator's, and so are their bindings.
 */
final class TopologyDeclarer {

    private static final Logger LOG = LoggerFactory.getLogger(TopologyDeclarer.class);

    private TopologyDeclarer() {}

    /**
     * @throws ConfigurationException SB-1201 for a clash, SB-1204 for a missing permission
     * @throws IOException when the connection fails
     */
    static void apply(Broker broker, Topology topology, Delay delay) throws IOException {
        for (Topology.Exchange exchange : topology.exchanges()) {
            if (exchange.kind() == ExchangeKind.DELAYED) {
                delay.declare(broker);
            } else {
                broker.exchange(
                        exchange.name(),
                        exchange.kind().name().toLowerCase(Locale.ROOT),
                        exchange.alternate() == null ? Map.of() : Map.of("alternate-exchange", exchange.alternate()));
            }
        }
        Set<String> shaped = new HashSet<>();
        for (Topology.Queue queue : topology.queues()) {
            if (broker.queue(queue.name(), queue.arguments())) {
                shaped.add(queue.name());
            }
        }
        for (Topology.Binding binding : topology.bindings()) {
            if (shaped.contains(binding.queue())) {
                broker.bindQueue(binding.queue(), binding.exchange(), binding.routingKey(), Map.of());
            }
        }
        List<String> others = topology.queues().stream()
                .map(Topology.Queue::name)
                .filter(name -> !shaped.contains(name)
                        && !name.equals(topology.options().unrouted()))
                .toList();
        if (!others.isEmpty()) {
            LOG.info(
                    "The broker user may not declare queues {}: their arguments and bindings are the administrator's and not compared",
                    others);
        }
    }
}
