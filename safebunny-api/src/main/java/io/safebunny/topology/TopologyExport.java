// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Queue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Exports a topology for other tools: which nodes send which messages to this node. Pure. */
public final class TopologyExport {

    private static final String ASYNCAPI = "3.0.0";

    private TopologyExport() {}

    /** A Mermaid flowchart: publishing nodes, this node's queues, and where the messages go that the node cannot handle. */
    public static String mermaid(Topology topology) {
        Set<String> lines = new LinkedHashSet<>();
        lines.add("flowchart LR");
        for (Flow flow : flows(topology)) {
            lines.add("    %s([%s]) -->|%s| %s[[%s]]"
                    .formatted(id(flow.from()), flow.from(), flow.type(), id(flow.queue()), flow.queue()));
            lines.add("    %s[[%s]] --> %s([%s])"
                    .formatted(id(flow.queue()), flow.queue(), id(topology.node()), topology.node()));
        }
        boolean consumes = topology.queues().stream().map(Queue::name).anyMatch(topology.poisonQueue()::equals);
        if (consumes) {
            lines.add("    %s([%s]) -.->|set aside| %s[[%s]]"
                    .formatted(
                            id(topology.node()), topology.node(), id(topology.poisonQueue()), topology.poisonQueue()));
        }
        return String.join(System.lineSeparator(), lines);
    }

    /** An id that is not a Mermaid keyword such as {@code end} and has no special characters. */
    private static String id(String name) {
        return "n_" + name.replaceAll("[^A-Za-z0-9]", "_") + "_" + Integer.toHexString(name.hashCode());
    }

    /**
     * An AsyncAPI 3.0 document of what the node receives: a channel for each queue, with its bindings. Does not include what the
     * node publishes, because that is not declared anywhere.
     *
     * @param version version of the application
     */
    public static Map<String, Object> asyncApi(Topology topology, String version) {
        Map<String, Object> channels = new LinkedHashMap<>();
        Map<String, Object> operations = new LinkedHashMap<>();
        for (String queue : queues(topology)) {
            List<Flow> flows = flows(topology).stream()
                    .filter(flow -> flow.queue().equals(queue))
                    .toList();
            String type = flows.get(0).type();
            channels.put(
                    type,
                    map(
                            "address",
                            queue,
                            "description",
                            "From "
                                    + String.join(
                                            ", ",
                                            new TreeSet<>(flows.stream()
                                                    .map(Flow::from)
                                                    .toList())),
                            "messages",
                            Map.of(type, map("name", type, "contentType", "application/json")),
                            "bindings",
                            Map.of("amqp", map("is", "queue", "queue", map("name", queue, "durable", true)))));
            operations.put("receive" + type, map("action", "receive", "channel", Map.of("$ref", "#/channels/" + type)));
        }
        return map(
                "asyncapi",
                ASYNCAPI,
                "info",
                map("title", topology.node(), "version", version),
                "channels",
                channels,
                "operations",
                operations);
    }

    private static Map<String, Object> map(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }

    private record Flow(String from, String type, String queue) {}

    private static Set<String> queues(Topology topology) {
        Set<String> queues = new LinkedHashSet<>();
        flows(topology).forEach(flow -> queues.add(flow.queue()));
        return queues;
    }

    /** Bindings of publications, with node and type. Keys of the main exchange end with the type, which has no hyphen. */
    private static List<Flow> flows(Topology topology) {
        List<Flow> flows = new ArrayList<>();
        for (Binding binding : topology.bindings()) {
            int end = binding.routingKey().lastIndexOf('-');
            boolean isNotice = binding.queue().equals(Topology.poisonWatchOf(topology.node()));
            if (binding.exchange().equals(topology.options().mainExchange()) && end > 0 && !isNotice) {
                flows.add(new Flow(
                        binding.routingKey().substring(0, end),
                        binding.routingKey().substring(end + 1),
                        binding.queue()));
            }
        }
        return flows;
    }
}
