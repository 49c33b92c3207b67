// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.message.Names;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Exchange;
import io.safebunny.topology.Topology.ExchangeKind;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.topology.TopologyOptions.PoisonLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Computes the topology from the subscriptions. Pure. */
public final class TopologyPlanner {

    /**
     * Practically unlimited: an operator who browses messages and puts them back must not reach a limit after which the broker
     * drops them.
     */
    private static final int OPERATOR_DELIVERY_LIMIT = 1_000_000;

    /** The queue is shared by all nodes, so its arguments must not depend on one node's settings. */
    private static final Map<String, Object> UNROUTED =
            Map.of("x-queue-type", "quorum", "x-delivery-limit", OPERATOR_DELIVERY_LIMIT);

    /** How long an ordered queue waits for the consumer of a broker node that is down, before another one takes over. */
    private static final Duration DISCONNECTED = Duration.ofSeconds(10);

    private TopologyPlanner() {}

    public static Topology plan(String node, List<Subscription> subscriptions, TopologyOptions options) {
        return plan(node, subscriptions, List.of(), options);
    }

    /** @param watched nodes that report what they set aside */
    public static Topology plan(
            String node, List<Subscription> subscriptions, List<String> watched, TopologyOptions options) {
        List<Queue> queues = new ArrayList<>();
        List<Binding> bindings = new ArrayList<>();
        for (Subscription subscription : subscriptions) {
            String queue = subscription.queue(node);
            queues.add(
                    subscription.isOrdered()
                            ? ordered(node, queue, options)
                            : new Queue(queue, consumerArguments(node, options)));
            for (String from : subscription.from()) {
                String address = Names.address(from, subscription.type());
                bindings.add(new Binding(options.mainExchange(), queue, address));
                bindings.add(new Binding(options.dueExchange(), queue, address));
            }
            bindings.add(new Binding(options.retryExchange(), queue, queue));
            bindings.add(new Binding(options.ownExchange(), queue, queue));
            String address = Names.address(node, subscription.type());
            if (subscription.isOrdered()) { // what was on its way when the type was handled in any order
                bindings.add(new Binding(options.retryExchange(), queue, address));
                bindings.add(new Binding(options.ownExchange(), queue, address));
            }
            for (String shard : subscription.shardQueues(node)) { // only the node itself sends there
                queues.add(ordered(node, shard, options));
                bindings.add(new Binding(options.ownExchange(), shard, shard));
            }
        }
        if (!subscriptions.isEmpty()) {
            String poison = Topology.poisonOf(node);
            queues.add(new Queue(poison, poisonArguments(options)));
            bindings.add(new Binding(options.poisonExchange(), poison, node));
            bindings.add(new Binding(options.ownExchange(), poison, poison));
            String deadLetters = Topology.deadLettersOf(node);
            queues.add(new Queue(deadLetters, deadLettersArguments(node, options)));
            bindings.add(new Binding(options.poisonExchange(), deadLetters, deadLetters));
            String archive = Topology.archiveOf(node);
            queues.add(new Queue(archive, archiveArguments(options)));
            bindings.add(new Binding(options.ownExchange(), archive, Topology.archivingOf(node)));
        }
        if (!watched.isEmpty()) {
            String watch = Topology.poisonWatchOf(node);
            // not limited like the poison queue, because beyond a limit the broker would silently drop notices
            queues.add(new Queue(watch, operatorArguments(options)));
            for (String other : watched) {
                bindings.add(new Binding(options.mainExchange(), watch, Topology.setAsideOf(other)));
            }
        }
        queues.add(new Queue(options.unrouted(), UNROUTED));
        bindings.add(new Binding(options.unrouted(), options.unrouted(), ""));
        return new Topology(
                node,
                options,
                List.of(
                        new Exchange(options.unrouted(), ExchangeKind.FANOUT),
                        new Exchange(options.mainExchange(), ExchangeKind.TOPIC),
                        new Exchange(options.ownExchange(), ExchangeKind.TOPIC),
                        new Exchange(options.poisonExchange(), ExchangeKind.DIRECT),
                        new Exchange(options.retryExchange(), ExchangeKind.DIRECT, options.unrouted()),
                        new Exchange(options.dueExchange(), ExchangeKind.DIRECT, options.unrouted()),
                        new Exchange(options.delayedExchange(), ExchangeKind.DELAYED)),
                queues,
                bindings);
    }

    /**
     * A queue that is consumed in order: by one consumer at a time, whose places in the prefetch go back to the queue whenever it pauses,
     * stops or is lost. Each time counts as a failed delivery of all of them, so the broker's limit is out of reach; who kills processes is
     * found by claims that were left silent. Without a limit, the broker would put what is returned at the end of the queue.
     */
    public static Queue ordered(String node, String name, TopologyOptions options) {
        Map<String, Object> arguments = consumerArguments(node, options);
        arguments.put(Topology.SINGLE_ACTIVE_CONSUMER, true);
        if (options.queueType() == QueueType.QUORUM) {
            arguments.put("x-delivery-limit", OPERATOR_DELIVERY_LIMIT);
            // read from RabbitMQ 4.3 on, where the default is a minute; earlier ones ignore it, but it cannot be added
            // later
            arguments.put("x-consumer-disconnected-timeout", DISCONNECTED.toMillis());
        }
        return new Queue(name, arguments);
    }

    private static Map<String, Object> consumerArguments(String node, TopologyOptions options) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        if (options.queueType() == QueueType.QUORUM) {
            arguments.put("x-queue-type", "quorum");
            arguments.put("x-delivery-limit", options.deliveryLimit());
        }
        return deadLettering(arguments, Topology.deadLettersOf(node), options);
    }

    /** Messages that cannot be copied to the poison queue get there by dead-lettering. */
    private static Map<String, Object> deadLettersArguments(String node, TopologyOptions options) {
        return deadLettering(operatorArguments(options), node, options);
    }

    private static Map<String, Object> deadLettering(
            Map<String, Object> arguments, String routingKey, TopologyOptions options) {
        arguments.put("x-dead-letter-exchange", options.poisonExchange());
        arguments.put("x-dead-letter-routing-key", routingKey);
        if (options.queueType() == QueueType.QUORUM) {
            // at-least-once requires reject-publish: with the default
            // overflow the broker silently falls back to at-most-once
            arguments.put("x-dead-letter-strategy", "at-least-once");
            arguments.put("x-overflow", "reject-publish");
        }
        return arguments;
    }

    private static Map<String, Object> operatorArguments(TopologyOptions options) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        if (options.queueType() == QueueType.QUORUM) {
            arguments.put("x-queue-type", "quorum");
            arguments.put("x-delivery-limit", OPERATOR_DELIVERY_LIMIT);
        }
        return arguments;
    }

    private static Map<String, Object> archiveArguments(TopologyOptions options) {
        Map<String, Object> arguments = operatorArguments(options);
        arguments.put("x-message-ttl", options.poison().archiveTtl().toMillis());
        return arguments;
    }

    private static Map<String, Object> poisonArguments(TopologyOptions options) {
        Map<String, Object> arguments = operatorArguments(options);
        PoisonLimits limits = options.poison();
        if (limits.ttl() != null) {
            arguments.put("x-message-ttl", limits.ttl().toMillis());
        }
        if (limits.maxLength() != null) {
            arguments.put("x-max-length", limits.maxLength());
            // when the queue is full, the sender keeps the message, so nothing is lost
            arguments.put("x-overflow", "reject-publish");
        }
        return arguments;
    }
}
