// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the broker must have before a node consumes and publishes. A value: comparable, printable, applied by the transport.
 *
 * @param node the node it was planned for
 */
public record Topology(
        String node, TopologyOptions options, List<Exchange> exchanges, List<Queue> queues, List<Binding> bindings) {

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

    /** Queue, and routing key to it, of what the broker itself set aside, on its way to the poison queue. */
    public static String deadLettersOf(String node) {
        return node + "-dead-letters";
    }

    /** Kind of an exchange. The delayed one depends on the delay strategy of the transport. */
    public enum ExchangeKind {
        TOPIC,
        DIRECT,
        FANOUT,
        DELAYED
    }

    /**
     * A durable exchange.
     *
     * @param alternate where messages go that it cannot route; {@code null} for nowhere
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
            arguments = Collections.unmodifiableMap(new TreeMap<>(arguments)); // one order on the wire in all runs
        }

        @Override
        public String toString() {
            return name + " " + new TreeMap<>(arguments);
        }
    }

    /** Exchange to queue. */
    public record Binding(String exchange, String queue, String routingKey) {}

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
                ? "where delayed messages begin to wait"
                : kind.name().toLowerCase(Locale.ROOT);
    }
}
