// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.test.scheduler.Outside;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Route;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Predicts what a real broker will still deliver, from the topology and from what the nodes send and settle: a message is in every queue
 * bound to its key, and each consumed queue delivers its messages up to the consumer's prefetch. Messages from outside the test are unknown
 * and handled whenever they arrive. Thread-safe.
 */
final class Arrivals implements Outside {

    private record Address(Object exchange, Object routingKey) {}

    private final QueueCopies.Look look;

    // guarded by this
    private final Map<String, QueueCopies> queues = new TreeMap<>();
    private final Set<String> exchanges = new LinkedHashSet<>();
    private final Map<String, Address> deadLetterAddresses = new HashMap<>();
    private final Map<Address, Set<String>> bindings = new HashMap<>();

    Arrivals(QueueCopies.Look look) {
        this.look = look;
    }

    synchronized void apply(Topology topology) {
        topology.exchanges().forEach(exchange -> exchanges.add(exchange.name()));
        exchanges.add(topology.options().laterExchange());
        for (Queue queue : topology.queues()) {
            queues.computeIfAbsent(queue.name(), QueueCopies::new);
            Object exchange = queue.arguments().get("x-dead-letter-exchange");
            Object key = queue.arguments().get("x-dead-letter-routing-key");
            if (exchange != null && key != null) {
                deadLetterAddresses.put(queue.name(), new Address(exchange, key));
            }
        }
        for (Binding binding : topology.bindings()) {
            bindings.computeIfAbsent(
                            new Address(binding.exchange(), binding.routingKey()), address -> new LinkedHashSet<>())
                    .add(binding.queue());
        }
    }

    /** Notes that publications with this routing key are accepted, although they go to no queue of a node. */
    synchronized void accept(TopologyOptions options, String routingKey) {
        bindings.computeIfAbsent(new Address(options.mainExchange(), routingKey), address -> new LinkedHashSet<>())
                .add(BrokerDesk.UNHEARD);
    }

    /** The queues that a message with this route reaches. */
    synchronized List<String> queuesOf(Route route, TopologyOptions options) {
        if (route instanceof Route.ToSubscribers publication) {
            return at(new Address(options.mainExchange(), publication.routingKey()));
        }
        String queue = route instanceof Route.Poison poison
                ? Topology.poisonOf(poison.node())
                : ((Route.ToQueue) route).queue();
        return queues.containsKey(queue) ? List.of(queue) : List.of();
    }

    private List<String> at(Address address) {
        return List.copyOf(bindings.getOrDefault(address, Set.of()));
    }

    /** Call before sending, because the message may arrive before its confirm. */
    synchronized void expect(List<String> destinations, String id) {
        destinations.forEach(queue -> copies(queue).put(id));
    }

    /** Call if the message was not sent. Has no effect if it has arrived nevertheless. */
    synchronized void expectNoLonger(List<String> destinations, String id) {
        destinations.forEach(queue -> copies(queue).remove(id));
    }

    private QueueCopies copies(String queue) {
        return queues.computeIfAbsent(queue, QueueCopies::new);
    }

    /** @param limit maximum number of deliveries at once; 0 for none */
    synchronized void consumes(String queue, int limit) {
        copies(queue).limit(limit);
    }

    synchronized void stops(String queue, CompletableFuture<Void> stopped) {
        copies(queue).stop(stopped);
    }

    /** @return the delivery to settle instead of the given one */
    synchronized CountedDelivery take(Delivery delivery) {
        CountedDelivery counted = new CountedDelivery(delivery, this);
        copies(counted.queue()).take(counted);
        return counted;
    }

    synchronized void settle(CountedDelivery delivery) {
        copies(delivery.queue()).settle(delivery);
    }

    synchronized void putBack(CountedDelivery delivery) {
        copies(delivery.queue()).putBack(delivery);
    }

    /** Call when a delivery is rejected: the broker dead-letters it according to the queue's arguments. */
    synchronized void setAside(CountedDelivery delivery) {
        Address address = deadLetterAddresses.get(delivery.queue());
        if (copies(delivery.queue()).settle(delivery) && address != null) {
            expect(at(address), delivery.id());
        }
    }

    synchronized List<IncomingMessage> unsettled() {
        return queues.values().stream()
                .flatMap(queue -> queue.taken().stream())
                .map(CountedDelivery::message)
                .toList();
    }

    /** All that the nodes have declared. */
    synchronized List<String> queues() {
        return List.copyOf(queues.keySet());
    }

    /** All that the nodes have declared. */
    synchronized List<String> exchanges() {
        return List.copyOf(exchanges);
    }

    /** Queues that are not empty. */
    synchronized List<String> filled() {
        return queues.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Marks the queues as empty. */
    synchronized void forget() {
        queues.values().forEach(QueueCopies::forget);
    }

    @Override
    public synchronized boolean isAwaited() {
        return queues.values().stream().anyMatch(queue -> queue.isAwaited(look));
    }

    @Override
    public synchronized String giveUp() {
        String what = queues.values().stream()
                .filter(queue -> queue.isAwaited(look))
                .map(QueueCopies::toString)
                .collect(Collectors.joining("; "));
        forget();
        return what;
    }
}
