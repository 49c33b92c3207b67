// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Transport;
import io.safebunny.spi.transport.TransportStatus;
import io.safebunny.time.Deadline;
import io.safebunny.time.VirtualTimeline;
import io.safebunny.topology.Topology;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Does what another transport does, until a subclass breaks it. */
class ForwardingTransport implements Transport {

    /** Of what a subclass sends on its own. */
    static final Deadline SOON = Deadline.after(Duration.ofMinutes(10), new VirtualTimeline());

    final Transport sound;

    ForwardingTransport(Transport sound) {
        this.sound = sound;
    }

    @Override
    public void start(Topology topology) {
        sound.start(topology);
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return sound.consume(queue, prefetch, handler);
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return sound.send(message, deadline);
    }

    @Override
    public BrowsedQueue browse(String queue) {
        return sound.browse(queue);
    }

    @Override
    public TransportStatus status() {
        return sound.status();
    }

    @Override
    public void close() {
        sound.close();
    }
}
