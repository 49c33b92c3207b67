// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.Queue;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Adds a prefix to the names of queues, for a broker on which others may have queues of the same name. The node does not see the prefix.
 * Routing keys are unchanged, so the node must have its own exchanges. Thread-safe.
 */
final class RenamedQueues extends ForwardingTransport {

    private static final String DEATHS = "x-death";

    private final String prefix;

    RenamedQueues(Transport transport, String prefix) {
        super(transport);
        this.prefix = prefix;
    }

    @Override
    public void start(Topology topology) {
        transport.start(new Topology(
                topology.node(),
                topology.options(),
                topology.exchanges(),
                topology.queues().stream()
                        .map(queue -> new Queue(prefix + queue.name(), queue.arguments()))
                        .toList(),
                topology.bindings().stream()
                        .map(one -> new Binding(one.exchange(), prefix + one.queue(), one.routingKey()))
                        .toList()));
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return transport.consume(prefix + queue, prefetch, delivery -> handler.handle(new Renamed(delivery)));
    }

    @Override
    public Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        return transport.consumeOrdered(
                prefix + queue, prefetch, pace, delivery -> handler.handle(new Renamed(delivery)));
    }

    @Override
    public BrowsedQueue browse(String queue) {
        BrowsedQueue browsed = transport.browse(prefix + queue);
        return new BrowsedQueue() {
            @Override
            public long waiting() {
                return browsed.waiting();
            }

            @Override
            public @Nullable Delivery next() {
                Delivery next = browsed.next();
                return next == null ? null : new Renamed(next);
            }

            @Override
            public void close() {
                browsed.close();
            }
        };
    }

    @Override
    public OptionalLong depth(String queue) {
        return transport.depth(prefix + queue);
    }

    @Override
    public OptionalInt consumers(String queue) {
        return transport.consumers(prefix + queue);
    }

    private final class Renamed extends ForwardingDelivery {

        private final IncomingMessage message;

        Renamed(Delivery delivery) {
            super(delivery);
            IncomingMessage real = delivery.message();
            Map<String, Object> headers = new HashMap<>(real.message().headers());
            headers.computeIfPresent(DEATHS, (name, deaths) -> renamed(deaths));
            message = new IncomingMessage(
                    new Origin(nameOf(real.queue()), real.exchange(), real.routingKey()),
                    real.redelivered(),
                    real.deliveryCount(),
                    real.user(),
                    real.message().withHeaders(headers));
        }

        @Override
        public IncomingMessage message() {
            return message;
        }

        /** Renames the queues in header values that the broker has written. */
        private Object renamed(Object deaths) {
            return deaths instanceof List<?> list
                    ? list.stream().map(this::renamedDeath).toList()
                    : deaths;
        }

        private Object renamedDeath(Object death) {
            if (!(death instanceof Map<?, ?> map)) {
                return death;
            }
            Map<Object, Object> copy = new HashMap<>(map);
            copy.computeIfPresent("queue", (name, queue) -> nameOf(queue.toString()));
            return copy;
        }

        private String nameOf(String queue) {
            return queue.startsWith(prefix) ? queue.substring(prefix.length()) : queue;
        }
    }
}
