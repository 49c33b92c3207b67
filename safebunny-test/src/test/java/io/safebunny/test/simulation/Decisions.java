// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import java.util.List;

/** A bank that declines whoever asks again: what a handler publishes is not the same in each attempt, and only one answer may count. */
final class Decisions {

    record OrderPlaced(String order) {}

    record PaymentCaptured(String order) {}

    record PaymentDeclined(String order) {}

    private Decisions() {}

    static void declare(SimulatedSystem system) {
        system.node("billing", 2, node -> List.of(new Billing(node, system.effects())))
                .node("shipping", 1, node -> List.of(new Shipping(node)))
                .publish("storefront", new OrderPlaced("7"), "order-7")
                .holds("each order is either shipped or cancelled", () -> assertThat(
                                system.effects().count("ship 7")
                                        + system.effects().count("cancel 7"))
                        .isEqualTo(1));
    }

    record Billing(SimulatedNode node, Effects effects) {
        @BunnyHandler(from = "storefront")
        void on(OrderPlaced placed) {
            boolean isFirst = effects.count("ask " + placed.order()) == 0;
            node.perform("ask " + placed.order());
            var unused = node.bunny()
                    .publish(isFirst ? new PaymentCaptured(placed.order()) : new PaymentDeclined(placed.order()));
        }
    }

    record Shipping(SimulatedNode node) {
        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured, MessageContext context) {
            node.perform("ship " + captured.order(), context.messageId());
        }

        @BunnyHandler(from = "billing")
        void on(PaymentDeclined declined, MessageContext context) {
            node.perform("cancel " + declined.order(), context.messageId());
        }
    }
}
