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

/** A saga with several timeouts at once, of which one is moved, and one is cancelled by another. */
public final class Deadlines {

    private static final Duration FIRST = Duration.ofHours(6);

    private Deadlines() {}

    public static void declare(SimulatedSystem system) {
        system.node("deadlines", 2, node -> List.of(new DeadlineSaga(node)))
                .holds("each runs once, in the order in which they are due, and none that is cancelled", () -> {
                    assertThat(system.effects().all().keySet()).containsExactly("remind 7", "warn 7", "close 7");
                    assertThat(system.effects().all().values()).containsOnly(1);
                });
        Choreographed.place(system, "hay");
    }

    /**
     * The one that is due last is set first. Clocks may differ by an hour, so a lost message may be noticed that much later: the timeouts are due
     * far enough from each other for several of those.
     */
    @BunnySaga
    record DeadlineSaga(SimulatedNode node) {

        record State(String order) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder order, SagaContext saga) {
            saga.timeout("close", FIRST.multipliedBy(4));
            saga.timeout("warn", FIRST);
            saga.timeout("remind", FIRST);
            saga.timeout("escalate", FIRST.multipliedBy(3));
            saga.timeout("warn", FIRST.multipliedBy(2));
            return new State(order.orderId());
        }

        @OnTimeout("remind")
        void remind(State state, MessageContext context) {
            node.perform("remind " + state.order(), context.messageId());
        }

        @OnTimeout("warn")
        void warn(State state, SagaContext saga, MessageContext context) {
            node.perform("warn " + state.order(), context.messageId());
            boolean unused = saga.cancelTimeout("escalate");
        }

        @OnTimeout("escalate")
        void escalate(State state, MessageContext context) {
            node.perform("escalate " + state.order(), context.messageId());
        }

        @OnTimeout("close")
        void close(State state, SagaContext saga, MessageContext context) {
            node.perform("close " + state.order(), context.messageId());
            saga.complete();
        }
    }
}
