// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.message.WireMessage;
import io.safebunny.test.contract.bites.Faults;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.time.Deadline;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Faults of transports, and what several of them have in common. */
abstract class TransportFaults extends Faults<BrokenTransportContract, Transport> {

    /** Of what a fault sends on its own. */
    private static final Deadline SOON = Deadline.after(Duration.ofMinutes(10), new VirtualTimeline());

    /** Sends something else than it was given. */
    static Consumer<Sabotage<Transport>> altering(UnaryOperator<OutboundMessage> change) {
        return transport -> transport
                .on(Transport::send)
                .instead((real, message, deadline) -> real.send(change.apply(message), deadline));
    }

    static Consumer<Sabotage<Transport>> altering(Predicate<OutboundMessage> which, UnaryOperator<WireMessage> change) {
        return altering(m -> which.test(m) ? new OutboundMessage(change.apply(m.message()), m.route(), m.delay()) : m);
    }

    /** Says that it sent what it did not. */
    static Consumer<Sabotage<Transport>> losing(Predicate<OutboundMessage> which) {
        return transport -> transport
                .on(Transport::send)
                .instead((real, message, deadline) -> which.test(message) ? done() : real.send(message, deadline));
    }

    /** Passes other deliveries to the handler than it is given. */
    static Consumer<Sabotage<Transport>> eachDelivery(BiConsumer<Transport, Sabotage<Delivery>> plan) {
        return transport -> handling(
                transport,
                (real, handler) -> delivery ->
                        handler.handle(transport.sabotaged(Delivery.class, delivery, each -> plan.accept(real, each))));
    }

    /** Consumes with another handler. */
    static void handling(
            Sabotage<Transport> transport, BiFunction<Transport, DeliveryHandler, DeliveryHandler> change) {
        transport
                .on(Transport::consume)
                .instead(
                        (real, queue, prefetch, handler) -> real.consume(queue, prefetch, change.apply(real, handler)));
    }

    static void sendAgain(Transport transport, IncomingMessage message) {
        transport
                .send(new OutboundMessage(message.message(), new Route.ToQueue(message.queue()), Duration.ZERO), SOON)
                .join();
    }

    static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    static OutboundMessage toOneOf(Set<String> queues, OutboundMessage message) {
        return withRoute(message, new Route.ToQueue(queues.iterator().next()));
    }

    static boolean isPublication(OutboundMessage message) {
        return message.route() instanceof Route.ToSubscribers;
    }

    static boolean isDelayed(OutboundMessage message) {
        return !message.delay().isZero();
    }

    static OutboundMessage withRoute(OutboundMessage message, Route route) {
        return new OutboundMessage(message.message(), route, message.delay());
    }

    static OutboundMessage withDelay(OutboundMessage message, Duration delay) {
        return new OutboundMessage(message.message(), message.route(), delay);
    }
}
