// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.test.simulation.BunnySimulation;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.List;
import java.util.Map;

class BillingSimulationTest {

    @BunnySimulation(schedules = 300)
    void nothingIsLostOrDoubledWhateverGoesWrong(SimulatedSystem system) {
        system.node("billing", 2, node -> List.of(new Billing(node.bunny(), new SimulatedBank(node))))
                .node("shipping", 1, node -> List.of(new Shipping(node)))
                .publish("storefront", new OrderPlaced("7"), "order-7")
                .holds("each order is charged, shipped and has a receipt, once", () -> assertThat(
                                system.effects().all())
                        .isEqualTo(Map.of("charge 7", 1, "ship 7", 1, "receipt 7", 1)));
    }

    record SimulatedBank(SimulatedNode node) implements Bank {

        @Override
        public void charge(String order, String key) {
            node.perform("charge " + order, key);
        }

        @Override
        public void sendReceipt(String order, String key) {
            node.perform("receipt " + order, key);
        }
    }

    record Shipping(SimulatedNode node) {

        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured, MessageContext context) {
            node.perform("ship " + captured.order(), context.messageId());
        }
    }
}
