// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** A saga that is told that its command was set aside, and gives up; beside it one with the same id, which has nothing to do with that. */
public final class Poisoned {

    record Watch(String order) {}

    record Charge(String order) {}

    record Refund(String order) {}

    record State(String order) {}

    private Poisoned() {}

    public static void declare(SimulatedSystem system) {
        AtomicBoolean mended = new AtomicBoolean();
        system.node("orders", 2, node -> List.of(new Paying(node), new Watching(node)))
                .node("billing", 1, node -> List.of(new Billing(node, mended)))
                .publish("storefront", new Watch("7"), Choreographed.SAGA)
                .replaysAfter(() -> mended.set(true))
                .holds("the saga that sent it is told and undoes it, and its replay does nothing", () -> assertThat(
                                system.effects().all())
                        .isEqualTo(Map.of("told of Charge 7", 1, "refund 7", 1)))
                .holds("the other saga goes on", () -> assertThat(system.sagas("orders", Choreographed.SAGA))
                        .filteredOn(saga -> saga.saga().equals("Watching"))
                        .singleElement()
                        .matches(saga -> saga.status() == SagaStatus.ACTIVE)
                        .extracting(SagaView::blockedOn)
                        .isEqualTo(List.of()));
        Choreographed.place(system, "hay");
    }

    @BunnySaga(participants = "billing")
    record Paying(SimulatedNode node) {

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder order, SagaContext saga) {
            saga.step("pay", new Charge(order.orderId()), new Refund(order.orderId()));
            return new State(order.orderId());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn, State state, SagaContext saga) {
            node.perform("told of " + blockedOn.type() + " " + state.order(), blockedOn.messageId());
            saga.fail("cannot be paid");
        }
    }

    @BunnySaga
    record Watching(SimulatedNode node) {

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Watch watch) {
            return new State(watch.order());
        }

        @OnPoisoned
        void poisoned(BlockedOn blockedOn, State state) {
            node.perform("disturbed by " + blockedOn.type() + " " + state.order(), blockedOn.messageId());
        }
    }

    record Billing(SimulatedNode node, AtomicBoolean mended) {

        @BunnyHandler(from = "orders")
        void on(Charge command, MessageContext context) {
            if (!mended.get()) {
                throw new PoisonMessageException("the bank does not know us");
            }
            node.perform("charge " + command.order(), context.messageId());
        }

        @BunnyHandler(from = "orders")
        void on(Refund undo, MessageContext context) {
            node.perform("refund " + undo.order(), context.messageId());
        }
    }
}
