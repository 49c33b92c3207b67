// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One instance of a node, which publishes and consumes messages of one type. */
record TestNode(TransportBench bench, Topology topology, Transport transport) {

    static final String TYPE = "OrderPlaced";

    String name() {
        return topology.node();
    }

    /** Its queue. */
    String queue() {
        return Names.address(name(), TYPE);
    }

    /** Where its publications go. */
    Route publication() {
        return new Route.ToSubscribers(Names.address(name(), TYPE));
    }

    /** Publishes and waits for the confirm. */
    void publish(WireMessage message) {
        bench.awaitSuccess(send(publication(), message));
    }

    CompletableFuture<Void> send(Route route, WireMessage message) {
        return send(route, message, Duration.ZERO);
    }

    CompletableFuture<Void> send(Route route, WireMessage message, Duration delay) {
        return transport.send(new OutboundMessage(message, route, delay), bench.deadline());
    }

    /** Sends to its own queue and waits for the confirm. */
    void sendToItself(WireMessage message, Duration delay) {
        bench.awaitSuccess(send(new Route.ToQueue(queue()), message, delay));
    }

    /** Acknowledges everything one by one, so once a message is seen, all earlier ones have been seen. */
    Inbox consume() {
        return consume(1, Delivery::acknowledge);
    }

    /** Records every delivery, then passes it on. */
    Inbox consume(int prefetch, DeliveryHandler handler) {
        return consume(queue(), prefetch, handler);
    }

    Inbox consume(String queue, int prefetch, DeliveryHandler handler) {
        Inbox inbox = new Inbox(bench, handler);
        inbox.consumes(transport.consume(queue, prefetch, inbox));
        return inbox;
    }
}
