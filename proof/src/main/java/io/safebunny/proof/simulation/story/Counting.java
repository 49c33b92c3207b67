// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.messages.StockReserved;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.List;

/** A saga that gets several messages at once, and must count each. */
public final class Counting {

    private static final int PARTS = 3;

    private Counting() {}

    public static void declare(SimulatedSystem system) {
        system.node("orders", 2, node -> List.of(new CountingSaga(node.bunny())))
                .node("shipping", 1, node -> List.of(new Warehouse(node.bunny())))
                .holds("each part is counted once", () -> assertThat(system.sagas("orders", Choreographed.SAGA))
                        .singleElement()
                        .matches(view -> view.status() == SagaStatus.COMPLETED)
                        .matches(view -> view.state().contains("\"parts\":" + PARTS)));
        Choreographed.place(system, "hay");
    }

    @BunnySaga
    record CountingSaga(Bunny bunny) {

        record State(int parts) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder order) {
            bunny.publish(new OrderPlaced(
                    order.orderId(), order.customer(), order.lines(), order.cardToken(), order.totalCents()));
            return new State(0);
        }

        @BunnyHandler(from = "shipping")
        State on(StockReserved part, State state, SagaContext saga) {
            State counted = new State(state.parts() + 1);
            if (counted.parts() == PARTS) {
                saga.complete();
            }
            return counted;
        }
    }

    /** Reserves in parts. */
    record Warehouse(Bunny bunny) {

        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {
            for (int part = 1; part <= PARTS; part++) {
                bunny.publish(new StockReserved(order.orderId() + "." + part));
            }
        }
    }
}
