// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.repair;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The messages in the poison queues of some nodes: looked at, and moved back to where they came from. Those that are not moved
 * stay in their queues. Thread-safe.
 */
final class PoisonCopies implements AutoCloseable {

    private static final int MOST = 2_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Transport transport;
    private final SystemTimeline timeline = new SystemTimeline("demo-repair");
    private final List<Consumption> consumptions = new ArrayList<>();
    /** Not settled, so that they return to their queues if nobody moves them. */
    private final Collection<Delivery> held = new ConcurrentLinkedQueue<>();

    private final Set<String> beyondRepair = ConcurrentHashMap.newKeySet();

    /** A message that was set aside. */
    record Copy(String messageId, String sagaId, String type, String reason, String queue, Delivery delivery) {}

    PoisonCopies(Transport transport, Collection<String> nodes) {
        this.transport = transport;
        nodes.forEach(node -> consumptions.add(transport.consume(node + "-poison", MOST, this::hold)));
    }

    private void hold(Delivery delivery) {
        WireMessage message = delivery.message().message();
        if (header(message, Headers.EXCEPTION_MESSAGE).contains(RepairDesk.BEYOND_REPAIR)) {
            beyondRepair.add(String.valueOf(message.messageId()));
        }
        held.add(delivery);
    }

    /** Whether a copy of it said that it will never succeed. */
    boolean isBeyondRepair(String messageId) {
        return beyondRepair.contains(messageId);
    }

    /** In the order of arrival. */
    List<Copy> matching(Predicate<Copy> which) {
        held.removeIf(delivery -> !delivery.isOpen());
        return held.stream().map(PoisonCopies::copy).filter(which).toList();
    }

    private static Copy copy(Delivery delivery) {
        WireMessage message = delivery.message().message();
        return new Copy(
                String.valueOf(message.messageId()),
                String.valueOf(message.correlationId()),
                String.valueOf(message.type()),
                header(message, Headers.POISON_REASON),
                header(message, Headers.POISON_QUEUE),
                delivery);
    }

    private static String header(WireMessage message, String name) {
        return message.headers().get(name) instanceof String text ? text : "";
    }

    /** Moves it back to its queue. */
    void replay(Copy copy) throws Exception {
        held.remove(copy.delivery());
        OutboundMessage again = new OutboundMessage(
                copy.delivery().message().message(), new Route.ToQueue(copy.queue()), Duration.ZERO);
        try {
            transport.send(again, Deadline.after(PATIENCE, timeline)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            copy.delivery().acknowledge();
        } catch (Exception e) {
            held.add(copy.delivery()); // not gone: two copies at worst
            throw e;
        }
    }

    @Override
    public void close() {
        for (Consumption consumption : consumptions) {
            var unused = consumption.stop();
        }
        held.forEach(Delivery::handBack);
        timeline.close();
    }
}
