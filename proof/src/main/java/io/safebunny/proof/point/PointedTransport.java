// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Recognises which operation of the protocol each sent message is, and when deliveries of one queue are settled. Thread-safe. */
public final class PointedTransport extends ForwardingTransport {

    private static final Pattern SHARD = Pattern.compile(".*\\.[0-9]+");

    private final Predicate<String> queues;
    private final Predicate<WireMessage> first;
    private final Faults faults;
    private final Consumer<IncomingMessage> delivered;
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();

    /**
     * @param queues tells the queues whose settlements are points
     * @param first tells the first of two publications that belong together
     * @param delivered is given each message that arrives on the queue
     */
    public PointedTransport(
            Transport transport,
            Predicate<String> queues,
            Predicate<WireMessage> first,
            Faults faults,
            Consumer<IncomingMessage> delivered) {
        super(transport);
        this.queues = queues;
        this.first = first;
        this.faults = faults;
        this.delivered = delivered;
    }

    @Override
    public Consumption consume(String consumed, int prefetch, DeliveryHandler handler) {
        if (!queues.test(consumed)) {
            return transport.consume(consumed, prefetch, handler);
        }
        return transport.consume(consumed, prefetch, new PointedHandler(handler));
    }

    @Override
    public Consumption consumeOrdered(String consumed, int prefetch, Pace pace, DeliveryHandler handler) {
        return transport.consumeOrdered(
                consumed, prefetch, pace, queues.test(consumed) ? new PointedHandler(handler) : handler);
    }

    private final class PointedHandler implements DeliveryHandler {

        private final DeliveryHandler handler;

        PointedHandler(DeliveryHandler handler) {
            this.handler = handler;
        }

        @Override
        public void handle(Delivery delivery) {
            arrived(delivery);
            faults.handling(
                    delivery.message().message(),
                    () -> handler.handle(new PointedDelivery(delivery, Operation.ACKNOWLEDGE, faults)));
        }

        @Override
        public int mostTogether() {
            return handler.mostTogether();
        }

        @Override
        public <D extends Delivery> List<D> handleTogether(List<D> deliveries) {
            Map<PointedDelivery, D> pointed = new LinkedHashMap<>();
            for (D delivery : deliveries) {
                arrived(delivery);
                pointed.put(new PointedDelivery(delivery, Operation.ACKNOWLEDGE_IN_GROUP, faults), delivery);
            }
            return handler.handleTogether(List.copyOf(pointed.keySet())).stream()
                    .map(pointed::get)
                    .toList();
        }

        private void arrived(Delivery delivery) {
            WireMessage message = delivery.message().message();
            attempts.put(id(message), attempt(message));
            delivered.accept(delivery.message());
        }
    }

    /** The point after sending comes before anybody learns of the confirm. */
    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        Operation operation = operation(message);
        Faults ofMessage = faults.sending(message.message());
        ofMessage.reached(Point.before(operation));
        return transport.send(message, deadline).thenRun(() -> ofMessage.reached(Point.after(operation)));
    }

    private Operation operation(OutboundMessage message) {
        if (message.route() instanceof Route.Poison) {
            return Operation.SEND_POISON;
        }
        if (message.message().headers().containsKey(Headers.MARK)) {
            return Operation.SEND_MARK;
        }
        if (message.route() instanceof Route.ToQueue to
                && SHARD.matcher(to.queue()).matches()) {
            return Operation.FORWARD;
        }
        if (message.route() instanceof Route.ToQueue) {
            int delivered = attempts.getOrDefault(id(message.message()), 0);
            return attempt(message.message()) > delivered ? Operation.SEND_RETRY : Operation.SEND_BACK;
        }
        return first.test(message.message()) ? Operation.SEND_FIRST : Operation.SEND_SECOND;
    }

    private static String id(WireMessage message) {
        return String.valueOf(message.messageId());
    }

    private static int attempt(WireMessage message) {
        return message.headers().get(Headers.ATTEMPT) instanceof Number attempt ? attempt.intValue() : 0;
    }

    /** A rejection is no point: in the matrix no poison copy is ever refused. */
    private static final class PointedDelivery extends ForwardingDelivery {

        private final Operation acknowledgement;
        private final Faults faults;

        PointedDelivery(Delivery delivery, Operation acknowledgement, Faults faults) {
            super(delivery);
            this.acknowledgement = acknowledgement;
            this.faults = faults;
        }

        @Override
        public void acknowledge() {
            settle(acknowledgement, super::acknowledge);
        }

        @Override
        public void handBack() {
            settle(Operation.HAND_BACK, super::handBack);
        }

        private void settle(Operation operation, Runnable settlement) {
            faults.reached(Point.before(operation));
            settlement.run();
            faults.reached(Point.after(operation));
        }
    }
}
