// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.doubles.ForwardingDelivery;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.message.WireMessage;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Place;
import io.safebunny.time.Deadline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One process's connection to the broker. */
final class FaultyTransport extends ForwardingTransport {

    private static final Set<String> ALARMS = Set.of("BunnyTimeout", "BunnyScheduled");
    private static final Duration LATE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Instance instance;

    FaultyTransport(Transport transport, Instance instance) {
        super(transport);
        this.instance = instance;
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        String subject = subject(message);
        if (instance.reach(Place.BEFORE_SEND, subject) == Fault.FAIL) {
            return lost(message);
        }
        if (isAlarm(message) && instance.reach(Place.BEFORE_ALARM, subject) == Fault.LOSE) {
            instance.lostAlarm(message.delay());
            return CompletableFuture.completedFuture(null);
        }
        Duration begun = instance.rules().now();
        CompletableFuture<Void> sent = super.send(message, deadline);
        if (!sent.isCompletedExceptionally()) {
            instance.sent(message, begun);
        }
        return instance.reach(Place.AFTER_SEND, subject) == Fault.FAIL ? lost(message) : sent;
    }

    /** What the sweeper sends again when it is late. */
    private static boolean isAlarm(OutboundMessage message) {
        return !message.delay().isZero()
                && message.route() instanceof Route.ToSubscribers
                && ALARMS.contains(message.message().type());
    }

    private static CompletableFuture<Void> lost(OutboundMessage message) {
        return CompletableFuture.failedFuture(
                new ConnectionLostException(message.publication(), "as the schedule wants", null));
    }

    private static String subject(OutboundMessage message) {
        String type = String.valueOf(message.message().type());
        if (message.route() instanceof Route.ToSubscribers) {
            return type;
        }
        return message.route() instanceof Route.Poison ? type + " to the poison queue" : type + " back to its queue";
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return super.consume(queue, prefetch, delivery -> handle(queue, delivery, handler));
    }

    private void handle(String queue, Delivery delivery, DeliveryHandler handler) {
        WireMessage message = delivery.message().message();
        String type = String.valueOf(message.type());
        instance.rules().delivered(instance, message);
        Fault fault = instance.reach(Place.DELIVERED, type);
        if (fault == Fault.REPEAT) {
            var unused = super.send(
                    new OutboundMessage(message, new Route.ToQueue(queue), Duration.ZERO),
                    Deadline.after(PATIENCE, instance.process().timeline()));
        } else if (fault == Fault.LATE) {
            waitABit();
        }
        handler.handle(new FaultyDelivery(delivery, type));
    }

    private void waitABit() {
        try {
            instance.process().timeline().sleep(LATE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class FaultyDelivery extends ForwardingDelivery {

        private final String type;

        FaultyDelivery(Delivery delivery, String type) {
            super(delivery);
            this.type = type;
        }

        @Override
        public void acknowledge() {
            boolean unused = instance.reach(Place.BEFORE_ACKNOWLEDGE, type) == null;
            super.acknowledge();
            unused = instance.reach(Place.AFTER_ACKNOWLEDGE, type) == null;
        }
    }
}
