// SPDX-License-Identifier: Apache-2.0
package io.safebunny.doubles;

import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Delegates everything to another transport. Extend it to wrap a transport: a wrapper that implements {@link Transport} directly
 * may miss the methods that have defaults. As thread-safe as the other transport.
 */
public abstract class ForwardingTransport implements Transport {

    protected final Transport transport;

    /** @param transport closed together with this one */
    protected ForwardingTransport(Transport transport) {
        this.transport = transport;
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
    public Consumption consumePaused(String queue, int prefetch, DeliveryHandler handler) {
        return transport.consumePaused(queue, prefetch, handler);
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        return transport.consumeOrdered(queue, prefetch, pace, handler);
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return transport.send(message, deadline);
    }

    @Override
    public ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
        return transport.control(listeners);
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
    public OptionalLong depth(String queue) {
        return transport.depth(queue);
    }

    @Override
    public OptionalInt consumers(String queue) {
        return transport.consumers(queue);
    }

    @Override
    public void close() {
        transport.close();
    }
}
