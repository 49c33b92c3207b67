// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Pace;
import io.safebunny.spi.transport.Transport;
import io.safebunny.spi.transport.TransportStatus;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Sends, but leaves all messages to other instances, except those that were set aside for people. */
record OnlookingTransport(Transport transport) implements Transport {

    /** Wraps whatever transport a node has. */
    record Onlooker() implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Transport transport ? new OnlookingTransport(transport) : bean;
        }
    }

    /** Of nothing. */
    private static final class None implements Consumption {
        @Override
        public void pace(Pace pace) {}

        @Override
        public CompletableFuture<Void> stop() {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public void start(Topology topology) {
        transport.start(topology);
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return queue.endsWith(WatchedTransport.POISON) ? transport.consume(queue, prefetch, handler) : new None();
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return transport.send(message, deadline);
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
