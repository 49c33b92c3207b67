// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.PaymentCaptured;
import io.safebunny.test.simulation.BunnySimulation;
import io.safebunny.test.simulation.Effects;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.List;
import java.util.Map;

/** Two instances that are killed, cut off and slowed down take the money for an order once. */
class BillingSimulationTest {

    @BunnySimulation(schedules = 400)
    void anOrderIsChargedOnceAndGoesOnOnce(SimulatedSystem system) {
        system.node("billing", 2, node -> List.of(billing(system, node)))
                .node("shipping", 1, node -> List.of(new Shipping(node)))
                .publish(
                        "orders",
                        new OrderPlaced("7", "Ada", List.of(new OrderLine("hay", 2, 450)), "tok_visa", 900),
                        "order-7")
                .holds("an order is charged once, and shipped once", () -> assertThat(
                                system.effects().all())
                        .isEqualTo(Map.of("bank charges 7", 1, "CHARGE 7", 1, "shipping ships 7", 1)));
    }

    private static Billing billing(SimulatedSystem system, SimulatedNode node) {
        PaymentGateway bank = (key, order, card, cents) -> {
            node.perform("bank charges " + order, key);
            return true;
        };
        return new Billing(bank, new RemoteBook(node, system.effects()), node.bunny());
    }

    /** A ledger that somebody else keeps, who recognises a repeated call by its key. */
    private record RemoteBook(SimulatedNode node, Effects effects) implements Ledger {

        @Override
        public void record(Effect effect, String orderId, MessageContext cause, long amountCents) {
            cause.once(effect.name(), () -> node.perform(effect + " " + orderId, cause.messageId()));
        }

        @Override
        public boolean has(Effect effect, String orderId) {
            return effects.count(effect + " " + orderId) > 0;
        }
    }

    record Shipping(SimulatedNode node) {

        @BunnyHandler(from = "billing")
        void on(PaymentCaptured paid, MessageContext context) {
            node.perform("shipping ships " + paid.orderId(), context.messageId());
        }
    }
}
