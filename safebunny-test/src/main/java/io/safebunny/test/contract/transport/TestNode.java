// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
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

    /** The node's queue. */
    String queue() {
        return Names.address(name(), TYPE);
    }

    /** The node's queue that is consumed in order. */
    static String ordered(String node) {
        return Names.address(node, TYPE) + ".in";
    }

    /** The route of the node's publications. */
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

    /** Sends to the node's own queue and waits for the confirm. */
    void sendToItself(WireMessage message, Duration delay) {
        bench.awaitSuccess(send(new Route.ToQueue(queue()), message, delay));
    }

    /** Consumes the queue and acknowledges the messages one by one: if a message has been seen, all earlier ones have been seen too. */
    Inbox consume() {
        return consume(1, Delivery::acknowledge);
    }

    /** Consumes the queue: records every delivery, then passes it to the handler. */
    Inbox consume(int prefetch, DeliveryHandler handler) {
        return consume(queue(), prefetch, handler);
    }

    Inbox consume(String queue, int prefetch, DeliveryHandler handler) {
        Inbox inbox = new Inbox(bench, handler);
        inbox.consumes(transport.consume(queue, prefetch, inbox));
        return inbox;
    }

    /** Consumes in order: records every delivery, then passes it to the handler. */
    Inbox consumeOrdered(int prefetch, DeliveryHandler handler) {
        return consumeOrdered(prefetch, Pace.FULL, handler);
    }

    Inbox consumeOrdered(int prefetch, Pace pace, DeliveryHandler handler) {
        Inbox inbox = new Inbox(bench, handler);
        inbox.consumes(transport.consumeOrdered(ordered(name()), prefetch, pace, inbox));
        return inbox;
    }
}
