// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.message.Names;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What must exist on the broker before a node consumes and publishes. An immutable value, applied by the transport.
 *
 * @param node the node it is planned for
 */
public record Topology(
        String node, TopologyOptions options, List<Exchange> exchanges, List<Queue> queues, List<Binding> bindings) {

    /** Argument of queues that deliver to one of their consumers at a time. */
    public static final String SINGLE_ACTIVE_CONSUMER = "x-single-active-consumer";

    public Topology {
        exchanges = List.copyOf(exchanges);
        queues = List.copyOf(queues);
        bindings = List.copyOf(bindings);
    }

    public String poisonQueue() {
        return poisonOf(node);
    }

    public static String poisonOf(String node) {
        return node + "-poison";
    }

    /** Name of the queue that keeps copies discarded from the poison queue until their time to live is over. */
    public static String archiveOf(String node) {
        return node + "-poison-archive";
    }

    /**
     * Routing key with which a node sends to its archive, in its own exchange. Looks like the key of a type, so that a user who may send to
     * the queues of its types may also send to the archive.
     */
    public static String archivingOf(String node) {
        return Names.address(node, "BunnyArchive");
    }

    /** Whether the queue may be missing if the user may not declare it: earlier versions did not have it, so the node starts without. */
    public boolean isOptional(Queue queue) {
        return queue.name().equals(archiveOf(node));
    }

    /** Name and routing key of the queue for messages that the broker itself has set aside, on their way to the poison queue. */
    public static String deadLettersOf(String node) {
        return node + "-dead-letters";
    }

    /** Name of the queue in which a node with sagas receives notices of the messages that it and its sagas' participants set aside. */
    public static String poisonWatchOf(String node) {
        return node + "-poison-watch";
    }

    /** Routing key in the main exchange for a node's notices of the messages that it sets aside. */
    public static String setAsideOf(String node) {
        return Names.address(node, "BunnySetAside");
    }

    /** Kind of an exchange. What {@link #DELAYED} becomes depends on the transport's delay strategy. */
    public enum ExchangeKind {
        TOPIC,
        DIRECT,
        FANOUT,
        DELAYED
    }

    /**
     * A durable exchange.
     *
     * @param alternate exchange for messages that this one cannot route; {@code null} for none
     */
    public record Exchange(
            String name, ExchangeKind kind, @Nullable String alternate) {

        public Exchange(String name, ExchangeKind kind) {
            this(name, kind, null);
        }
    }

    /** A durable queue with its broker arguments. */
    public record Queue(String name, Map<String, Object> arguments) {

        public Queue {
            // sorted, so that their order on the wire is always the same
            arguments = Collections.unmodifiableMap(new TreeMap<>(arguments));
        }

        /** Whether the broker delivers to one of its consumers at a time, so that several instances can consume it in order. */
        public boolean hasSingleActiveConsumer() {
            return Boolean.TRUE.equals(arguments.get(SINGLE_ACTIVE_CONSUMER));
        }

        @Override
        public String toString() {
            return name + " " + new TreeMap<>(arguments);
        }
    }

    /** Binds a queue to an exchange. */
    public record Binding(String exchange, String queue, String routingKey) {}

    /** Counts of exchanges, queues and bindings, for the log. */
    public String summary() {
        return "%s exchanges, %s queues, %s bindings".formatted(exchanges.size(), queues.size(), bindings.size());
    }

    /** One line per exchange, queue and binding, for the log. */
    public String describe() {
        List<String> lines = new ArrayList<>();
        exchanges.forEach(e -> lines.add("exchange  %s (%s)".formatted(e.name(), describe(e.kind()))));
        queues.forEach(q -> lines.add("queue     " + q));
        bindings.forEach(b -> lines.add("binding   %s --%s--> %s".formatted(b.exchange(), b.routingKey(), b.queue())));
        return String.join(System.lineSeparator(), lines);
    }

    private static String describe(ExchangeKind kind) {
        return kind == ExchangeKind.DELAYED
                ? "entry for delayed messages"
                : kind.name().toLowerCase(Locale.ROOT);
    }
}
