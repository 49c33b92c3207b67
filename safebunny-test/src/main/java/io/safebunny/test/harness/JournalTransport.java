// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.test.harness.Happening.Kind;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Records what a node sends, receives and settles. Messages that no node consumes are accepted, because their consumers are not part of the
 * test. Thread-safe.
 */
final class JournalTransport extends ForwardingTransport {

    private static final int LONGEST_TEXT = 300;

    private final String node;
    private final Journal journal;
    private final Consumer<String> unheard;
    private final BooleanSupplier discards;

    /**
     * @param unheard called with a routing key, makes the broker accept publications that nobody consumes
     * @param discards whether to drop all messages sent and delivered, so that the run ends
     */
    JournalTransport(
            String node, Transport transport, Journal journal, Consumer<String> unheard, BooleanSupplier discards) {
        super(transport);
        this.node = node;
        this.journal = journal;
        this.unheard = unheard;
        this.discards = discards;
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        if (discards.getAsBoolean()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> sent = transport.send(message, deadline);
        String note = "";
        if (message.route() instanceof Route.ToSubscribers publication && isUnheard(sent)) {
            unheard.accept(publication.routingKey());
            sent = transport.send(message, deadline);
            note = "nobody here listens to " + publication.routingKey();
        }
        if (sent.isDone() && !sent.isCompletedExceptionally()) {
            write(message, note);
        }
        return sent;
    }

    private static boolean isUnheard(CompletableFuture<Void> sent) {
        return sent.isCompletedExceptionally()
                && sent.handle((done, failure) -> failure instanceof UnroutableException)
                        .join();
    }

    private void write(OutboundMessage outbound, String note) {
        WireMessage message = outbound.message();
        Duration delay = outbound.delay();
        if (outbound.route() instanceof Route.ToSubscribers) {
            String in = delay.isZero() ? note : note.isEmpty() ? Journal.in(delay) : Journal.in(delay) + ", " + note;
            Instant due = delay.isZero() ? null : journal.now().plus(delay);
            journal.add(node, message, Kind.PUBLISHED, in, due);
        } else if (outbound.route() instanceof Route.Poison) {
            journal.add(node, message, Kind.SET_ASIDE, poisonReason(message), null);
        } else {
            Kind kind = journal.isRetry(node, message) ? Kind.RETRIED : Kind.RETURNED;
            String reason = journal.reasonOf(node, message);
            String why = reason.isEmpty() ? "" : ", because of " + reason;
            journal.add(node, message, kind, Journal.in(delay) + why, null);
        }
    }

    private static String poisonReason(WireMessage message) {
        Map<String, Object> headers = message.headers();
        Object exception = headers.get(Headers.EXCEPTION_TYPE);
        String reason = headers.get(Headers.POISON_REASON) + (exception == null ? "" : ", " + exception);
        return headers.get(Headers.EXCEPTION_MESSAGE) instanceof String text && !text.equals("null")
                ? "%s: %s"
                        .formatted(
                                reason, Names.printable(text.lines().findFirst().orElse(""), LONGEST_TEXT))
                : reason;
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return transport.consume(queue, prefetch, new Journaling(handler));
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        return transport.consumeOrdered(queue, prefetch, pace, new Journaling(handler));
    }

    private final class Journaling implements DeliveryHandler {

        private final DeliveryHandler handler;

        Journaling(DeliveryHandler handler) {
            this.handler = handler;
        }

        @Override
        public void handle(Delivery delivery) {
            handle(List.of(delivery));
        }

        @Override
        public int mostTogether() {
            return handler.mostTogether();
        }

        @Override
        public <D extends Delivery> List<D> handleTogether(List<D> deliveries) {
            handle(deliveries);
            return List.of();
        }

        private void handle(List<? extends Delivery> deliveries) {
            if (discards.getAsBoolean()) {
                deliveries.forEach(Delivery::acknowledge);
                return;
            }
            for (Delivery delivery : deliveries) {
                IncomingMessage incoming = delivery.message();
                journal.begins(node, incoming.message());
                journal.add(node, incoming.message(), Kind.DELIVERED, incoming.redelivered() ? "again" : "", null);
            }
            try {
                List<Watched> watched = deliveries.stream().map(Watched::new).toList();
                List<Watched> alone = watched.size() == 1 ? watched : handler.handleTogether(watched);
                alone.forEach(handler::handle);
            } finally {
                deliveries.forEach(
                        delivery -> journal.ends(node, delivery.message().message()));
            }
        }
    }

    private final class Watched extends ForwardingDelivery {

        Watched(Delivery delivery) {
            super(delivery);
        }

        @Override
        public void handBack() {
            if (isOpen()) {
                journal.add(node, message().message(), Kind.HANDED_BACK, "", null);
            }
            super.handBack();
        }
    }
}
