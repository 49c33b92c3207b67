// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.traffic;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Counts what a node's transport delivers, and changes nothing. */
public final class WatchedTransport extends ForwardingTransport {

    static final String POISON = "-poison";

    private final Traffic traffic;

    public WatchedTransport(Transport transport, Traffic traffic) {
        super(transport);
        this.traffic = traffic;
    }

    /** Wraps whatever transport a node has. */
    public record Watcher(Traffic traffic) implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Transport transport ? new WatchedTransport(transport, traffic) : bean;
        }
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        if (queue.endsWith(POISON)) { // read by people, not by nodes
            return transport.consume(queue, prefetch, handler);
        }
        return transport.consume(queue, prefetch, delivery -> watch(delivery, handler));
    }

    private void watch(Delivery delivery, DeliveryHandler handler) {
        traffic.begun(delivery.message());
        try {
            handler.handle(delivery);
        } finally {
            traffic.ended();
        }
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        traffic.moved();
        if (message.route()
                instanceof Route.ToQueue) { // a retry; timeouts of sagas are publications, and nobody waits for those
            traffic.comesBackAfter(message.delay());
        }
        return transport.send(message, deadline);
    }

    @Override
    public void start(Topology topology) {
        traffic.planned(topology);
        transport.start(topology);
    }
}
