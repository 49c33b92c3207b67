// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.PublishOptions;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Ledger;
import io.safebunny.saga.SagaFailed;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Publishes orders and receives their results. Never halted, so an in-memory store is enough. Thread-safe. */
public final class Desk implements AutoCloseable {

    private static final String NAME = "desk";
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final SystemTimeline timeline = new SystemTimeline(NAME);
    private final List<WireMessage> arrived = new CopyOnWriteArrayList<>();
    private final Node node;

    /** @param worker name of the node that works on the orders */
    public Desk(NodeAddress address, String worker, Ledger ledger) {
        node = new Node(
                address,
                new Persistence(new MemoryMessageStore(timeline, Duration.ofDays(1)), null, LEASE),
                timeline,
                RecordingTransport::new);
        node.start(List.of(
                Node.handler(
                        Charged.class,
                        worker,
                        (payload, context) -> finish(ledger, ((Charged) payload).order(), "Charged")),
                Node.handler(
                        Shipped.class,
                        worker,
                        (payload, context) -> finish(ledger, ((Shipped) payload).order(), "Shipped")),
                Node.handler(
                        Placed.class,
                        worker,
                        (payload, context) -> finish(ledger, ((Placed) payload).part(), ((Placed) payload).label())),
                Node.handler(
                        SagaFailed.class,
                        worker,
                        (payload, context) -> finish(ledger, ((SagaFailed) payload).sagaId(), "SagaFailed"))));
    }

    private static void finish(Ledger ledger, String order, String type) {
        ledger.write(new Entry(Entry.Kind.FINISHED, NAME, order, type));
    }

    /**
     * Publishes the order; a repeat publishes a copy of the same message.
     *
     * @return the message id
     */
    public String publish(Order order) {
        return node.bunny()
                .publish(
                        order,
                        PublishOptions.none()
                                .withCorrelationId(order.id())
                                .withIdempotencyKey(order.id())
                                .withOrderKey(order.orderKey()))
                .messageId();
    }

    /** Every publication that arrived, including copies. */
    public List<WireMessage> arrived() {
        return List.copyOf(arrived);
    }

    @Override
    public void close() {
        node.close();
        timeline.close();
    }

    /** Records deliveries before anything can drop them. */
    private final class RecordingTransport extends ForwardingTransport {

        RecordingTransport(Transport transport) {
            super(transport);
        }

        @Override
        public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
            return transport.consume(queue, prefetch, delivery -> {
                arrived.add(delivery.message().message());
                handler.handle(delivery);
            });
        }
    }
}
