// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.memory.MemoryBroker.Address;
import io.safebunny.message.WireMessage;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A queue's messages by position, and its consumers. A message that comes back gets its old position. Guarded by the broker's
 * lock.
 */
final class MemoryQueue {

    private final MemoryBroker broker;
    private final String name;
    private final Map<String, Object> arguments;
    private final NavigableMap<Long, IncomingMessage> ready = new TreeMap<>();
    private final Deque<MemoryConsumption> consumptions = new ArrayDeque<>();
    private final boolean hasSingleActiveConsumer;
    private long positions;
    /** The consumer that receives deliveries, if only one at a time does. */
    private @Nullable MemoryConsumption active;

    MemoryQueue(MemoryBroker broker, Queue declared) {
        this.broker = broker;
        this.name = declared.name();
        this.arguments = declared.arguments();
        this.hasSingleActiveConsumer = declared.hasSingleActiveConsumer();
    }

    Map<String, Object> arguments() {
        return arguments;
    }

    boolean hasSingleActiveConsumer() {
        return hasSingleActiveConsumer;
    }

    List<WireMessage> messages() {
        return ready.values().stream().map(IncomingMessage::message).toList();
    }

    boolean isIdle() {
        return consumptions.stream().allMatch(consumption -> consumption.isIdle() && ready.isEmpty());
    }

    void add(Address address, WireMessage message) {
        ready.put(
                positions++,
                new IncomingMessage(new Origin(name, address.exchange(), address.routingKey()), false, 0, message));
    }

    Stream<IncomingMessage> unsettled() {
        return consumptions.stream().flatMap(MemoryConsumption::unsettled);
    }

    void clear() {
        ready.clear();
    }

    int consumers() {
        return (int) consumptions.stream().filter(each -> !each.hasYielded()).count();
    }

    int depth() {
        return ready.size();
    }

    /** Removes the first message and returns it with its position; {@code null} if there is none. */
    Map.@Nullable Entry<Long, IncomingMessage> takeFirst() {
        return ready.pollFirstEntry();
    }

    void putBack(long position, IncomingMessage message) {
        ready.put(position, redelivered(message));
    }

    static IncomingMessage redelivered(IncomingMessage message) {
        return new IncomingMessage(message.origin(), true, 0, message.message());
    }

    /**
     * Dead-letters the message according to the queue's arguments, with an {@code x-death} header; without a dead-letter exchange
     * it goes back to the queue.
     */
    void setAside(long position, IncomingMessage rejected, List<Runnable> afterwards) {
        Address deadLetters = new Address(
                String.valueOf(arguments.get("x-dead-letter-exchange")),
                String.valueOf(arguments.get("x-dead-letter-routing-key")));
        Map<String, Object> headers = new LinkedHashMap<>(rejected.message().headers());
        headers.put("x-death", List.of(death(rejected)));
        if (!broker.routed(deadLetters, rejected.message().withHeaders(headers), afterwards)) {
            putBack(position, rejected);
        }
    }

    private static Map<String, Object> death(IncomingMessage rejected) {
        return Map.of(
                "queue", rejected.queue(),
                "reason", "rejected",
                "exchange", rejected.exchange(),
                "routing-keys", List.of(rejected.routingKey()),
                "count", 1L);
    }

    void add(MemoryConsumption consumption) {
        consumptions.addLast(consumption);
    }

    void remove(MemoryConsumption consumption) {
        consumptions.remove(consumption);
    }

    /** Assigns ready messages to consumers with free slots. */
    void handOut(List<Runnable> afterwards) {
        MemoryConsumption consumption = ready.isEmpty() ? null : nextWithPlace();
        while (consumption != null) {
            Map.Entry<Long, IncomingMessage> first = ready.pollFirstEntry();
            consumption.take(first.getKey(), first.getValue(), afterwards);
            consumption = ready.isEmpty() ? null : nextWithPlace();
        }
        consumptions.forEach(each -> each.beginWaiting(afterwards));
    }

    private @Nullable MemoryConsumption nextWithPlace() {
        if (hasSingleActiveConsumer) {
            if (active == null || active.hasYielded()) {
                active = consumptions.stream()
                        .filter(each -> !each.hasYielded())
                        .findFirst()
                        .orElse(null);
            }
            return active != null && active.hasPlace() ? active : null;
        }
        for (int tries = consumptions.size(); tries > 0; tries--) {
            MemoryConsumption consumption = consumptions.removeFirst();
            consumptions.addLast(consumption);
            if (consumption.hasPlace()) {
                return consumption;
            }
        }
        return null;
    }
}
