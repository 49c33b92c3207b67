// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.MessageTypes;
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

    private static final String ORDERED = ".in";

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

    /**
     * Name of the queue of a type whose messages are handled in order. An existing queue cannot become one that is consumed in order.
     *
     * @param address of node and type, which is the name of the queue of a type whose messages are handled in any order
     */
    public static String orderedOf(String address) {
        return address + ORDERED;
    }

    /**
     * Name of the queue of a shard of a type. Its messages come from the type's {@link #orderedOf ordered queue}, and from nowhere else.
     *
     * @param address of node and type
     */
    public static String shardOf(String address, int shard) {
        return address + "." + shard;
    }

    /** The queue from which messages came to this one: for a shard that of its type, and otherwise the queue itself. */
    public static String forwardedFrom(String queue) {
        int dot = dotOfShard(queue);
        return dot < 0 ? queue : orderedOf(queue.substring(0, dot));
    }

    /** Whether this is the name of the queue of a shard. Names of types have no dots, and all others end with letters. */
    public static boolean isShard(String queue) {
        return dotOfShard(queue) >= 0;
    }

    /** Where the number of the shard begins, -1 if there is none. */
    private static int dotOfShard(String queue) {
        int digits = queue.length();
        while (digits > 0 && queue.charAt(digits - 1) >= '0' && queue.charAt(digits - 1) <= '9') {
            digits--;
        }
        return digits > 0 && digits < queue.length() && queue.charAt(digits - 1) == '.' ? digits - 1 : -1;
    }

    /**
     * Names of queues that must not exist: each belongs to a type of this topology that another version of the node handles in the other
     * way, in order or in any. Both would get each message.
     */
    public List<String> rivals() {
        String prefix = Names.address(node, "");
        List<String> rivals = new ArrayList<>();
        for (Queue queue : queues) {
            String name = queue.name();
            if (queue.hasSingleActiveConsumer() && name.endsWith(ORDERED)) {
                rivals.add(name.substring(0, name.length() - ORDERED.length()));
            } else if (name.startsWith(prefix)
                    && Names.isType(name.substring(prefix.length()))
                    && !MessageTypes.isReserved(name.substring(prefix.length()))
                    && !name.equals(poisonQueue())) {
                rivals.add(name + ORDERED);
            }
        }
        return rivals;
    }

    /**
     * What is to be thrown if one of the {@link #rivals} exists.
     *
     * @return SB-1205
     */
    public ConfigurationException rivalExists(String rival) {
        boolean isOrdered = rival.endsWith(ORDERED);
        String queue = isOrdered ? rival.substring(0, rival.length() - ORDERED.length()) : rival + ORDERED;
        return new ConfigurationException(
                "SB-1205",
                "Queue '%s' cannot be used: queue '%s' exists, because the node has taken the same type %s. Both would get each message. Nothing was changed."
                        .formatted(queue, rival, isOrdered ? "in order" : "in any order"),
                "Stop what publishes the type, let the node as it was handle what is left, stop all its instances, and delete the queue (rabbitmqctl delete_queue %s); see docs/order.md. Or %s."
                        .formatted(rival, isOrdered ? "set ordered = true again" : "remove ordered = true"));
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
