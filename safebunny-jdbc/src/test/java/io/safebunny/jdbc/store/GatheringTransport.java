// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Hands over the first deliveries of each queue together, as if they had waited; later ones, such as retries, one by one. Thread-safe. */
final class GatheringTransport extends ForwardingTransport {

    private final int size;
    private final boolean losesAcknowledgements;

    /** @param losesAcknowledgements whether those of the first deliveries are lost, so that all of them are delivered again */
    GatheringTransport(Transport transport, int size, boolean losesAcknowledgements) {
        super(transport);
        this.size = size;
        this.losesAcknowledgements = losesAcknowledgements;
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return super.consume(queue, prefetch, handler.mostTogether() < size ? handler : new Gathering(handler));
    }

    private final class Gathering implements DeliveryHandler {

        private final DeliveryHandler handler;
        private final List<Delivery> first = new ArrayList<>();
        private final CompletableFuture<Void> handled = new CompletableFuture<>();

        Gathering(DeliveryHandler handler) {
            this.handler = handler;
        }

        @Override
        public void handle(Delivery delivery) {
            int number;
            synchronized (first) {
                number = first.size() + 1;
                if (number <= size) {
                    first.add(delivery);
                }
            }
            if (number == size) {
                handleFirst();
                handled.complete(null);
            } else if (number < size) {
                handled.join();
            } else {
                handler.handle(delivery);
            }
        }

        private void handleFirst() {
            if (losesAcknowledgements) {
                handler.handleTogether(first.stream().map(Unacknowledged::new).toList())
                        .forEach(handler::handle);
                first.forEach(handler::handle);
            } else {
                handler.handleTogether(first).forEach(handler::handle);
            }
        }
    }

    private static final class Unacknowledged extends ForwardingDelivery {

        Unacknowledged(Delivery delivery) {
            super(delivery);
        }

        @Override
        public void acknowledge() {}
    }
}
