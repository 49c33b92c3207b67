// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.chaos;

import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.spi.transport.Transport;
import io.safebunny.spi.transport.TransportStatus;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import java.util.concurrent.CompletableFuture;

/** Sends one publication in twenty twice, like a publisher that lost its connection before the confirm. */
record DuplicatingTransport(Transport transport, Chaos chaos) implements Transport {

    private static final double SHARE = 0.05;

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        String key = String.valueOf(message.message().messageId());
        if (message.route() instanceof Route.Publication && chaos.strikes("duplicate", key, SHARE)) {
            return CompletableFuture.allOf(transport.send(message, deadline), transport.send(message, deadline));
        }
        return transport.send(message, deadline);
    }

    @Override
    public void start(Topology topology) {
        transport.start(topology);
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return transport.consume(queue, prefetch, handler);
    }

    @Override
    public BrowsedQueue browse(String queue) {
        return transport.browse(queue);
    }

    @Override
    public TransportStatus status() {
        return transport.status();
    }

    @Override
    public void close() {
        transport.close();
    }
}
