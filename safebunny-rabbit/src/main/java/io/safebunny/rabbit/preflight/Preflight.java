// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Names;
import io.safebunny.rabbit.connection.BrokerVersion;
import io.safebunny.rabbit.preflight.ManagementApi.UnaskedException;
import io.safebunny.topology.Topology;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads from RabbitMQ's management API what AMQP does not expose: the policies on a node's queues, and the queues' bindings. Changes
 * nothing. Without the API it assumes the broker's defaults. Thread-safe.
 */
public final class Preflight {

    private final @Nullable ManagementApi management;
    private final String virtualHost;

    /**
     * @param management where the plugin listens, such as {@code http://broker:15672}; {@code null} for no API
     * @param user of the broker, with the tag {@code management} at least
     */
    public Preflight(@Nullable URI management, String user, String password, String virtualHost) {
        this.management = management == null ? null : new ManagementApi(management, user, password, virtualHost);
        this.virtualHost = virtualHost;
    }

    /** Whether a management API is configured. */
    public boolean asks() {
        return management != null;
    }

    /**
     * The differences between the broker and the node's needs, each with what to do; empty if there are none. An unreachable API is itself
     * a finding. Blocks for at most a few seconds per queue.
     *
     * @param handlers of the node; their in-memory retries are compared with the broker's acknowledgement timeout, or its default without
     *     an API
     */
    public List<String> findings(Topology planned, List<HandlerDefinition> handlers) throws InterruptedException {
        List<String> findings = new ArrayList<>();
        Map<String, QueueFacts> found = new TreeMap<>();
        String version = "";
        if (management != null) {
            try {
                version = management.version();
                String old = BrokerVersion.finding(version);
                if (old != null) {
                    findings.add(old);
                }
                for (Topology.Queue queue : planned.queues()) {
                    JsonNode answer = management.queue(queue.name());
                    if (answer != null) {
                        QueueFacts facts = facts(answer);
                        found.put(queue.name(), facts);
                        findings.addAll(facts.findings(queue));
                        findings.addAll(bindings(planned, queue.name(), management.bindings(queue.name())));
                    }
                }
            } catch (UnaskedException e) {
                findings.add("Policies and bindings are not checked: " + e.getMessage());
            }
        }
        findings.addAll(heldTooLong(planned, handlers, found, new AcknowledgementTimeout(version, virtualHost)));
        return findings;
    }

    private static List<String> heldTooLong(
            Topology planned,
            List<HandlerDefinition> handlers,
            Map<String, QueueFacts> found,
            AcknowledgementTimeout timeout) {
        Map<String, HandlerDefinition> byQueue = handlers.stream()
                .collect(Collectors.toMap(
                        handler -> Names.address(planned.node(), handler.type()), Function.identity()));
        List<String> findings = new ArrayList<>();
        for (Topology.Queue queue : planned.queues()) {
            HandlerDefinition handler = byQueue.get(queue.name());
            String finding = handler == null ? null : timeout.finding(handler, queue, found.get(queue.name()));
            if (finding != null) {
                findings.add(finding);
            }
        }
        return findings;
    }

    private static QueueFacts facts(JsonNode queue) {
        return new QueueFacts(
                queue.path("type").asString("classic"),
                map(queue.path("arguments")),
                map(queue.path("effective_policy_definition")),
                queue.path("policy").asString(""),
                queue.path("operator_policy").asString(""));
    }

    /** The object as a map. Some versions of the broker send an empty object as an array. */
    private static Map<String, Object> map(JsonNode object) {
        Map<String, Object> map = new TreeMap<>();
        object.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            map.put(entry.getKey(), value.isIntegralNumber() ? (Object) value.asLong() : value.asString(""));
        });
        return map;
    }

    private static List<String> bindings(Topology planned, String queue, @Nullable JsonNode found) {
        Set<String> wanted = planned.bindings().stream()
                .filter(binding -> binding.queue().equals(queue))
                .map(binding -> described(binding.exchange(), binding.routingKey()))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> missing = new TreeSet<>(wanted);
        List<String> findings = new ArrayList<>();
        for (JsonNode binding : found == null ? List.<JsonNode>of() : found) {
            String source = binding.path("source").asString("");
            String described = described(source, binding.path("routing_key").asString(""));
            missing.remove(described);
            if (!source.isEmpty() && !wanted.contains(described)) {
                findings.add(
                        "Queue '%s' is also bound to %s, which this node does not declare. Remove it if it is left from a handler's earlier `from`"
                                .formatted(queue, described));
            }
        }
        missing.forEach(binding -> findings.add(
                "Queue '%s' is not bound to %s, so messages do not arrive. Run --safebunny.topology=apply as a user who may bind it"
                        .formatted(queue, binding)));
        return findings;
    }

    private static String described(String exchange, String routingKey) {
        return "exchange '%s' with key '%s'".formatted(exchange, routingKey);
    }
}
