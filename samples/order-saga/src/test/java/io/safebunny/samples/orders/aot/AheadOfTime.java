// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.aot;

import io.safebunny.Bunny;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.orders.OrchestratedOrdersNode;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The node that keeps the sagas, as an application of its own. Places an order, prints what becomes of its saga, and ends. */
final class AheadOfTime {

    static final String DONE = "the saga of the order is ";

    private AheadOfTime() {}

    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext context = SpringApplication.run(OrchestratedOrdersNode.class, arguments)) {
            PlaceOrder order = new PlaceOrder("order-1", "kim", List.of(new OrderLine("tea", 1, 500)), "card");
            context.getBean(Bunny.class).publish(order);
            Sagas sagas = context.getBean(Sagas.class);
            List<SagaView> placed = Awaitility.await()
                    .until(() -> sagas.list("OrderSaga", null, Duration.ZERO, 10), list -> !list.isEmpty());
            System.out.println(DONE + placed.get(0).status());
        }
    }
}
