// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.message.WireMessage;
import io.safebunny.test.simulation.run.Fault;
import io.safebunny.test.simulation.run.Place;
import io.safebunny.time.Deadline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One process's connection to the broker, with faults. */
final class FaultyTransport extends ForwardingTransport {

    private static final Set<String> ALARMS = Set.of("BunnyTimeout", "BunnyScheduled");
    private static final Duration LATE = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
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

    /** Whether the message is an alarm, which the sweeper sends again when it is late. */
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
        Line line = new Line(handler);
        return super.consume(queue, prefetch, delivery -> handle(queue, delivery, line));
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        Line line = new Line(handler);
        return super.consumeOrdered(queue, prefetch, pace, delivery -> handle(queue, delivery, line));
    }

    private void handle(String queue, Delivery delivery, Line line) {
        WireMessage message = delivery.message().message();
        String type = String.valueOf(message.type());
        instance.rules().delivered(instance, message);
        Fault fault = instance.reach(Place.DELIVERED, type);
        if (fault == Fault.REPEAT) {
            var unused = super.send(
                    new OutboundMessage(message, new Route.ToQueue(queue), Duration.ZERO),
                    Deadline.after(PATIENCE, instance.process().timeline()));
        } else if (fault == Fault.LATE) {
            sleep(LATE);
        }
        line.take(new FaultyDelivery(delivery, type));
    }

    /**
     * Collects the deliveries of one queue that are to be handled together. If the handler takes only one at a time, passes each on at
     * once.
     */
    private final class Line {

        private final DeliveryHandler handler;
        private final Deque<FaultyDelivery> waiting = new ArrayDeque<>();
        private boolean isServed;

        Line(DeliveryHandler handler) {
            this.handler = handler;
        }

        void take(FaultyDelivery delivery) {
            if (handler.mostTogether() == 1) {
                handler.handle(delivery);
                return;
            }
            waiting.add(delivery);
            if (!isServed) {
                isServed = true;
                try {
                    sleep(MOMENT); // lets others arrive
                    serve();
                } finally {
                    isServed = false;
                }
            }
        }

        private void serve() {
            while (!waiting.isEmpty()) {
                List<FaultyDelivery> together = new ArrayList<>();
                int most = handler.mostTogether();
                while (together.size() < most && !waiting.isEmpty()) {
                    together.add(waiting.remove());
                }
                List<FaultyDelivery> left = together.size() == 1 ? together : handler.handleTogether(together);
                left.forEach(handler::handle);
            }
        }
    }

    private void sleep(Duration time) {
        try {
            instance.process().timeline().sleep(time);
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
