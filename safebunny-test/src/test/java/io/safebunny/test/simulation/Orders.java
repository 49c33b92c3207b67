// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A saga of three steps, without a state of its own. */
final class Orders {

    record OrderPlaced(String order) {}

    record PaymentCaptured(String order) {}

    record OrderShipped(String order) {}

    private Orders() {}

    static void declare(SimulatedSystem system) {
        declare(system, Billing::new);
    }

    static void declare(SimulatedSystem system, Function<SimulatedNode, Object> billing, String... others) {
        system.node("billing", 2, node -> List.of(billing.apply(node)))
                .node("shipping", 2, node -> List.of(new Shipping(node)))
                .node("notifications", 1, node -> List.of(new Notifications(node)))
                .publish("storefront", new OrderPlaced("7"), "order-7")
                .holds("each order is charged, shipped and told of once", () -> assertThat(
                                system.effects().all())
                        .isEqualTo(Stream.concat(Stream.of("charge 7", "ship 7", "mail 7"), Arrays.stream(others))
                                .collect(Collectors.toMap(effect -> effect, effect -> 1))));
    }

    /** Charges again in each attempt. */
    static void declareWithoutKey(SimulatedSystem system) {
        declare(system, WithoutKey::new);
    }

    record WithoutKey(SimulatedNode node) {
        @BunnyHandler(from = "storefront")
        void on(OrderPlaced placed) {
            node.perform("charge " + placed.order());
            var unused = node.bunny().publish(new PaymentCaptured(placed.order()));
        }
    }

    record Billing(SimulatedNode node) {
        @BunnyHandler(from = "storefront")
        void on(OrderPlaced placed, MessageContext context) {
            node.perform("charge " + placed.order(), context.messageId());
            var unused = node.bunny().publish(new PaymentCaptured(placed.order()));
        }
    }

    record Shipping(SimulatedNode node) {
        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured, MessageContext context) {
            node.perform("ship " + captured.order(), context.messageId());
            var unused = node.bunny().publish(new OrderShipped(captured.order()));
        }
    }

    record Notifications(SimulatedNode node) {
        @BunnyHandler(from = "shipping")
        void on(OrderShipped shipped, MessageContext context) {
            node.perform("mail " + shipped.order(), context.messageId());
        }
    }
}
