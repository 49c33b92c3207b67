// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.ExchangeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies a topology: declares missing objects, accepts those that are the same, and refuses those that differ. Queues that this user may
 * not declare, and their bindings, are left to an administrator. Optional queues come last and are skipped if they are missing and may not
 * be declared.
 */
public final class TopologyDeclarer {

    private static final Logger LOG = LoggerFactory.getLogger(TopologyDeclarer.class);

    private TopologyDeclarer() {}

    /**
     * @throws ConfigurationException SB-1201 for a clash, SB-1204 for a missing permission
     * @throws IOException if the connection fails
     */
    public static void apply(Broker broker, Topology topology, Delay delay) throws IOException {
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
        List<Topology.Queue> needed = new ArrayList<>(topology.queues());
        List<Topology.Queue> optional =
                needed.stream().filter(topology::isOptional).toList();
        needed.removeAll(optional);
        List<String> others = new ArrayList<>(declare(broker, topology, needed));
        for (Topology.Queue queue : optional) {
            try {
                others.addAll(declare(broker, topology, List.of(queue)));
            } catch (ConfigurationException e) {
                if (!e.code().equals(Permissions.MISSING)) {
                    throw e;
                }
                LOG.info("Running without the optional queue '{}': {}", queue.name(), e.getMessage());
            }
        }
        others.remove(topology.options().unrouted());
        if (!others.isEmpty()) {
            LOG.info(
                    "The broker user may not declare queues {}; their arguments and bindings are not compared", others);
        }
    }

    /**
     * @throws ConfigurationException SB-1205 if the broker has a queue in which a type of the topology is handled in the other way
     * @throws IOException if the connection fails
     */
    static void requireNoRival(Declarations broker, Topology topology) throws IOException {
        for (String rival : topology.rivals()) {
            if (broker.refusal("queue '" + rival + "'", channel -> channel.queueDeclarePassive(rival)) == null) {
                throw topology.rivalExists(rival);
            }
        }
    }

    /** @return queues that this user may not configure */
    private static List<String> declare(Broker broker, Topology topology, List<Topology.Queue> queues)
            throws IOException {
        List<String> others = new ArrayList<>();
        Set<String> shaped = new HashSet<>();
        for (Topology.Queue queue : queues) {
            (broker.queue(queue.name(), queue.arguments()) ? shaped : others).add(queue.name());
        }
        for (Topology.Binding binding : topology.bindings()) {
            if (shaped.contains(binding.queue())) {
                broker.bindQueue(binding.queue(), binding.exchange(), binding.routingKey(), Map.of());
            }
        }
        return others;
    }
}
