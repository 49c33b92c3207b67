// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Two classes that each have a saga for one order, with a step and a timeout of the same name: one completes, and one is undone. */
public final class Pairs {

    /** Longer than clocks may differ. */
    private static final Duration LATE = Duration.ofHours(3);

    record PackOrder(String order) {}

    record PayOrder(String order) {}

    record Wrap(String order) {}

    record Unwrap(String order) {}

    record Wrapped(String order) {}

    record Charge(String order) {}

    record Refund(String order) {}

    record State(String order) {}

    private Pairs() {}

    public static void declare(SimulatedSystem system) {
        system.node("orders", 2, node -> List.of(new Packing(), new Paying()))
                .node("hands", 1, node -> List.of(new Hands(node, node.bunny())))
                .publish("storefront", new PackOrder("7"), Choreographed.SAGA)
                .publish("storefront", new PayOrder("7"), Choreographed.SAGA)
                .holds("what is packed stays so, and what is not paid is undone", () -> assertThat(
                                system.effects().all())
                        .isEqualTo(Map.of("wrap 7", 1, "charge 7", 1, "refund 7", 1)))
                .holds("each saga has ended in its own way", () -> assertThat(
                                system.sagas("orders", Choreographed.SAGA))
                        .extracting(SagaView::saga, SagaView::status)
                        .containsExactlyInAnyOrder(
                                tuple("Packing", SagaStatus.COMPLETED), tuple("Paying", SagaStatus.FAILED)));
    }

    @BunnySaga
    static final class Packing {

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PackOrder order, SagaContext saga) {
            saga.step("work", new Wrap(order.order()), new Unwrap(order.order()));
            saga.timeout("late", LATE.multipliedBy(10));
            return new State(order.order());
        }

        @BunnyHandler(from = "hands")
        void on(Wrapped wrapped, SagaContext saga) {
            saga.complete();
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("not packed");
        }
    }

    @BunnySaga(participants = "hands")
    static final class Paying {

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PayOrder order, SagaContext saga) {
            saga.step("work", new Charge(order.order()), new Refund(order.order()));
            saga.timeout("late", LATE);
            return new State(order.order());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("not paid");
        }
    }

    /** Never tells that it has charged. */
    record Hands(SimulatedNode node, Bunny bunny) {

        @BunnyHandler(from = "orders")
        void on(Wrap wrap, MessageContext context) {
            node.perform("wrap " + wrap.order(), context.messageId());
            bunny.publish(new Wrapped(wrap.order()));
        }

        @BunnyHandler(from = "orders")
        void on(Unwrap unwrap, MessageContext context) {
            node.perform("unwrap " + unwrap.order(), context.messageId());
        }

        @BunnyHandler(from = "orders")
        void on(Charge charge, MessageContext context) {
            node.perform("charge " + charge.order(), context.messageId());
        }

        @BunnyHandler(from = "orders")
        void on(Refund refund, MessageContext context) {
            node.perform("refund " + refund.order(), context.messageId());
        }
    }
}
