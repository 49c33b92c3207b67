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

/** A saga that cancels a timeout and sets another one of the same name. */
public final class Reminders {

    private Reminders() {}

    public static void declare(SimulatedSystem system) {
        system.node("reminders", 2, node -> List.of(new ReminderSaga(node)))
                .holds(
                        "a customer is reminded twice",
                        () -> assertThat(system.effects().all()).isEqualTo(Map.of("remind 7", 2)));
        Choreographed.place(system, "hay");
    }

    @BunnySaga
    record ReminderSaga(SimulatedNode node) {

        record State(String order, int reminders) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder order, SagaContext saga) {
            saga.timeout("remind", Duration.ofMinutes(1));
            saga.cancelTimeout("remind");
            saga.timeout("remind", Duration.ofMinutes(1));
            return new State(order.orderId(), 0);
        }

        @OnTimeout("remind")
        State remind(State state, SagaContext saga, MessageContext context) {
            node.perform("remind " + state.order(), context.messageId());
            if (state.reminders() == 1) {
                saga.complete();
            } else {
                saga.timeout("remind", Duration.ofMinutes(1));
            }
            return new State(state.order(), state.reminders() + 1);
        }
    }
}
