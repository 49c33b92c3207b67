// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A saga that waits for longer than messages are remembered, so that its step is forgotten when it is undone. */
public final class Forgotten {

    /** Longer than clocks may differ. */
    private static final Duration RETENTION = Duration.ofDays(1);

    record Reserve(String order) {}

    record Release(String order) {}

    private Forgotten() {}

    public static void declare(SimulatedSystem system) {
        system.retention(RETENTION)
                .node("orders", 2, node -> List.of(new PatientSaga()))
                .node("warehouse", 1, node -> List.of(new Warehouse(node)))
                .holds(
                        "what was reserved is released, however long that takes",
                        () -> assertThat(system.effects().all()).isEqualTo(Map.of("reserve 7", 1, "release 7", 1)));
        Choreographed.place(system, "hay");
    }

    @BunnySaga(participants = "warehouse")
    static final class PatientSaga {

        record State(String order) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder order, SagaContext saga) {
            saga.step("reserve", new Reserve(order.orderId()), new Release(order.orderId()));
            saga.timeout("late", RETENTION.multipliedBy(3));
            return new State(order.orderId());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("too late");
        }
    }

    record Warehouse(SimulatedNode node) {

        @BunnyHandler(from = "orders")
        void on(Reserve command, MessageContext context) {
            node.perform("reserve " + command.order(), context.messageId());
        }

        @BunnyHandler(from = "orders")
        void on(Release undo, MessageContext context) {
            node.perform("release " + undo.order(), context.messageId());
        }
    }
}
