// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.aot;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.orders.OrchestratedOrdersNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

/**
 * The node that keeps the sagas, as an application of its own, and beside it a handler that takes messages in order. Places an order, prints
 * what becomes of its saga, prints what the other handler has taken, and ends.
 */
final class AheadOfTime {

    static final String DONE = "the saga of the order is ";

    static final String TAKEN = "taken in order: ";

    @BunnyMessage(orderBy = "article")
    record StockChanged(String article, int left) {}

    /** Fails once, with the first message. */
    @Component
    static class Shelf {

        final List<Integer> taken = new CopyOnWriteArrayList<>();
        private volatile boolean failed;

        @BunnyHandler(from = "storefront", ordered = true, delayedRetries = "100ms")
        void on(StockChanged change) {
            if (!failed) {
                failed = true;
                throw new IllegalStateException("once");
            }
            taken.add(change.left());
        }
    }

    private AheadOfTime() {}

    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context =
                SpringApplication.run(new Class<?>[] {OrchestratedOrdersNode.class, Shelf.class}, arguments)) {
            PlaceOrder order = new PlaceOrder("order-1", "kim", List.of(new OrderLine("tea", 1, 500)), "card");
            context.getBean(Bunny.class).publish(order);
            Sagas sagas = context.getBean(Sagas.class);
            List<SagaView> placed = Awaitility.await()
                    .until(() -> sagas.list("OrderSaga", null, Duration.ZERO, 10), list -> !list.isEmpty());
            System.out.println(DONE + placed.get(0).status());
            context.getBean(Bunny.class).publish(new StockChanged("tea", 2));
            context.getBean(Bunny.class).publish(new StockChanged("tea", 1));
            List<Integer> taken = context.getBean(Shelf.class).taken;
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> taken.size() == 2);
            System.out.println(TAKEN + taken);
        }
    }
}
