// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.message.Names;
import io.safebunny.rabbit.preflight.ManagementApi.UnaskedException;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.TopologyOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds the queues and bindings of a node that it does not need any more. A queue is the node's only if its name <em>and</em> its arguments
 * say so: node {@code shop-poison} may handle a type {@code archive}, and its queue has the name of the archive of node {@code shop}.
 * Changes nothing. Thread-safe.
 */
final class LeftOvers {

    private static final String ORDERED = Topology.orderedOf("");
    private static final int MOST_CONSUMERS = 5;
    private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};
    private static final JsonMapper JSON = new JsonMapper();

    private final Topology planned;
    private final TypeQueues types;
    private final TopologyOptions names;
    private final ManagementApi broker;

    LeftOvers(Topology planned, ManagementApi broker) {
        this.planned = planned;
        this.types = new TypeQueues(planned.node());
        this.names = planned.options();
        this.broker = broker;
    }

    /**
     * A queue that is not planned.
     *
     * @param bindings those that nodes make
     * @param depth {@code null} if the broker has not told
     * @param consumers where its consumers are; perhaps not all of them
     * @param doubt why it may belong to somebody else; {@code null} for no doubt
     */
    record LeftQueue(
            String name,
            String type,
            Map<String, Object> arguments,
            List<Binding> bindings,
            @Nullable QueueDepth depth,
            List<String> consumers,
            @Nullable String doubt) {

        boolean isConsumed() {
            return depth != null && depth.consumers() > 0;
        }

        boolean isEmpty() {
            return depth != null && depth.ready() == 0 && depth.unacknowledged() == 0;
        }
    }

    /**
     * What is left over.
     *
     * @param bindings of planned queues
     * @param doubts what is left alone, each with the reason
     */
    record Found(List<LeftQueue> queues, List<Binding> bindings, List<String> doubts) {}

    Found find() throws UnaskedException, InterruptedException {
        List<Binding> bindings = new ArrayList<>();
        List<String> doubts = new ArrayList<>();
        for (Topology.Queue queue : planned.queues()) {
            if (!queue.name().equals(names.unrouted())) { // which all nodes share
                sort(queue.name(), broker.bindings(queue.name()), bindings, doubts);
            }
        }
        List<LeftQueue> queues = new ArrayList<>();
        for (String name : unplanned(doubts)) {
            LeftQueue queue = find(name);
            if (queue != null) {
                queues.add(queue);
            }
        }
        return new Found(queues, bindings, doubts);
    }

    /** @return {@code null} if the queue does not exist */
    @Nullable
    LeftQueue find(String name) throws UnaskedException, InterruptedException {
        JsonNode found = broker.queue(name);
        JsonNode bound = found == null ? null : broker.bindings(name);
        if (found == null || bound == null) {
            return null;
        }
        List<Binding> bindings = new ArrayList<>();
        List<String> foreign = new ArrayList<>();
        sort(name, bound, bindings, foreign);
        Map<String, Object> arguments = arguments(found);
        return new LeftQueue(
                name,
                types.typeOf(name),
                arguments,
                bindings,
                Marking.depth(found),
                consumers(found),
                isOurs(found, arguments)
                        ? foreign.stream().findFirst().orElse(null)
                        : "Queue '%s' is not declared as this node declares the queues of its types, so it may be another's"
                                .formatted(name));
    }

    /** Names of queues of this node's types that are not planned. */
    private Set<String> unplanned(List<String> doubts) throws UnaskedException, InterruptedException {
        String prefix = Names.address(planned.node(), "");
        Set<String> known = new TreeSet<>();
        planned.queues().forEach(queue -> known.add(queue.name()));
        Set<String> never = Set.of(
                Topology.poisonOf(planned.node()),
                Topology.archiveOf(planned.node()),
                Topology.deadLettersOf(planned.node()),
                Topology.poisonWatchOf(planned.node()));
        Set<String> unplanned = new TreeSet<>();
        for (String name : broker.queueNames(prefix)) {
            if (known.contains(name) || !name.startsWith(prefix)) {
                continue;
            }
            if (never.contains(name)) {
                doubts.add(
                        "Queue '%s' is not needed by this version of the node, but poison messages and what leads to them are for people to remove"
                                .formatted(name));
            } else if (types.isOfType(name)) {
                unplanned.add(name);
            }
        }
        return unplanned;
    }

    private boolean isOurs(JsonNode found, Map<String, Object> arguments) {
        return found.path("durable").asBoolean(false)
                && !found.path("auto_delete").asBoolean(false)
                && !found.path("exclusive").asBoolean(false)
                && names.poisonExchange().equals(arguments.get("x-dead-letter-exchange"))
                && Topology.deadLettersOf(planned.node()).equals(arguments.get("x-dead-letter-routing-key"));
    }

    /** Some versions of the broker send an empty object as an array. */
    private static Map<String, Object> arguments(JsonNode found) {
        JsonNode arguments = found.path("arguments");
        return arguments.isObject() ? JSON.convertValue(arguments, MAP) : Map.of();
    }

    /**
     * @param bindings gets those that a node makes and that are not planned
     * @param foreign gets, in words, those that no node makes
     */
    private void sort(String queue, @Nullable JsonNode bound, List<Binding> bindings, List<String> foreign) {
        if (bound == null) {
            return;
        }
        for (JsonNode one : bound) {
            Binding binding = Marking.binding(queue, one);
            boolean isPlain = one.path("arguments").isEmpty();
            if (binding.exchange().isEmpty() || (isPlain && planned.bindings().contains(binding))) {
                continue;
            }
            if (isPlain && isOurs(binding)) {
                bindings.add(binding);
            } else {
                foreign.add("Queue '%s' is bound to %s, which no node does: somebody else has made that binding"
                        .formatted(queue, Marking.described(binding)));
            }
        }
    }

    private boolean isOurs(Binding binding) {
        String type = types.typeOf(binding.queue());
        String exchange = binding.exchange();
        if (binding.queue().equals(Topology.poisonWatchOf(planned.node()))) {
            return exchange.equals(names.mainExchange()) && isFromANode(binding.routingKey(), Topology.setAsideOf(""));
        }
        if (!Names.isType(type) || binding.queue().equals(planned.poisonQueue())) {
            return false;
        }
        if (types.isShard(binding.queue())) {
            return exchange.equals(names.ownExchange()) && binding.routingKey().equals(binding.queue());
        }
        if (exchange.equals(names.mainExchange()) || exchange.equals(names.dueExchange())) {
            return isFromANode(binding.routingKey(), Names.address("", type));
        }
        return (exchange.equals(names.retryExchange()) || exchange.equals(names.ownExchange()))
                && (binding.routingKey().equals(binding.queue())
                        || binding.routingKey().equals(Names.address(planned.node(), type)));
    }

    private static boolean isFromANode(String key, String suffix) {
        return key.endsWith(suffix) && Names.isNode(key.substring(0, key.length() - suffix.length()));
    }

    private static List<String> consumers(JsonNode found) {
        List<String> consumers = new ArrayList<>();
        for (JsonNode one : found.path("consumer_details")) {
            JsonNode channel = one.path("channel_details");
            consumers.add("%s of user '%s'"
                    .formatted(
                            channel.path("connection_name").asString("?"),
                            channel.path("user").asString("?")));
        }
        return consumers.stream().distinct().limit(MOST_CONSUMERS).toList();
    }

    /** Queues in which messages of the queue's type are handled now: of this node, and of others that get its publications. */
    List<String> takers(LeftQueue queue) throws UnaskedException, InterruptedException {
        String suffix = Names.address("", queue.type());
        Set<String> takers = new LinkedHashSet<>();
        for (Topology.Queue own : planned.queues()) {
            String name = own.name();
            boolean takes = types.typeOf(name).equals(queue.type()) && !types.isShard(name);
            if (takes && broker.queue(name) != null) {
                takers.add(name);
            }
        }
        JsonNode bound = broker.bindingsFrom(names.mainExchange());
        Set<String> others = new TreeSet<>();
        for (JsonNode one : bound == null ? JSON.createArrayNode() : bound) {
            String destination = one.path("destination").asString("");
            if (one.path("destination_type").asString("").equals("queue")
                    && isFromANode(one.path("routing_key").asString(""), suffix)
                    && (isFromANode(destination, suffix) || isFromANode(destination, suffix + ORDERED))) {
                others.add(destination);
            }
        }
        takers.addAll(others);
        takers.remove(queue.name());
        return List.copyOf(takers);
    }
}
