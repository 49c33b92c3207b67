// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.billing.PaymentGateway;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.PaymentCaptured;
import io.safebunny.samples.orders.messages.PaymentDeclined;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.test.simulation.Effects;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Stories of the sample's saga without an orchestrator. */
public final class Choreographed {

    static final String SAGA = "order-7";

    private Choreographed() {}

    public static void delivered(SimulatedSystem system) {
        delivered(system, node -> billing(system, node, Banks.good(node)));
    }

    public static void delivered(SimulatedSystem system, Function<SimulatedNode, Object> billing) {
        delivered(system, billing, node -> postman(system, node));
    }

    public static void delivered(
            SimulatedSystem system, Function<SimulatedNode, Object> billing, Function<SimulatedNode, Object> postman) {
        shop(system, billing, postman);
        place(system, "hay");
        system.holds("an order is charged, shipped and told of, once each", () -> assertThat(
                        system.effects().all())
                .isEqualTo(once(
                        "ACCEPTED", "charge", "CHARGE", "SHIPMENT", "COMPLETED", "MAIL_RECEIVED", "MAIL_OUTCOME")));
    }

    public static void soldOut(SimulatedSystem system) {
        shop(system, node -> billing(system, node, Banks.good(node)), node -> postman(system, node));
        place(system, "sold-out");
        system.holds("what is sold out is charged and refunded, once each", () -> assertThat(
                        system.effects().all())
                .isEqualTo(
                        once("ACCEPTED", "charge", "CHARGE", "REFUND", "CANCELLED", "MAIL_RECEIVED", "MAIL_OUTCOME")));
    }

    /** What the handler of a payment publishes is not the same in each attempt, and only one answer may count. */
    public static void moody(SimulatedSystem system) {
        shop(
                system,
                node -> new MoodyBilling(node, Banks.moody(node, system.effects())),
                node -> postman(system, node));
        place(system, "hay");
        system.holds("an order is either shipped or cancelled", () -> isDecided(system.effects()));
    }

    /** Asks in each attempt. */
    record MoodyBilling(SimulatedNode node, PaymentGateway bank) {

        @BunnyHandler(from = "orders")
        void on(OrderPlaced order, MessageContext context) {
            boolean granted = bank.charge(context.messageId(), order.orderId(), order.cardToken(), order.totalCents());
            var unused = node.bunny()
                    .publish(
                            granted
                                    ? new PaymentCaptured(
                                            order.orderId(), order.customer(), order.lines(), order.totalCents())
                                    : new PaymentDeclined(order.orderId(), order.customer()));
        }
    }

    private static void isDecided(Effects effects) {
        int shipped = effects.count("SHIPMENT 7");
        assertThat(shipped + effects.count("CANCELLED 7"))
                .as("shipped or cancelled: %s", effects.all())
                .isEqualTo(1);
        assertThat(effects.count("COMPLETED 7"))
                .as("completed: %s", effects.all())
                .isEqualTo(shipped);
        assertThat(effects.count("MAIL_OUTCOME 7"))
                .as("mails: %s", effects.all())
                .isEqualTo(1);
    }

    /** Payments are set aside until an operator fixes their cause and replays them. */
    public static void repaired(SimulatedSystem system) {
        AtomicBoolean mended = new AtomicBoolean();
        system.replaysAfter(() -> mended.set(true));
        delivered(system, node -> billing(system, node, Banks.shut(node, mended)));
    }

    public static Object billing(SimulatedSystem system, SimulatedNode node, PaymentGateway bank) {
        return Sample.handler("billing.Billing", bank, ledger(system, node), node.bunny());
    }

    public static Object postman(SimulatedSystem system, SimulatedNode node) {
        return Sample.handler("notifications.Postman", ledger(system, node));
    }

    public static SimulatedLedger ledger(SimulatedSystem system, SimulatedNode node) {
        return new SimulatedLedger(node, system.effects());
    }

    public static void place(SimulatedSystem system, String sku) {
        system.publish("storefront", new PlaceOrder("7", "Ada", List.of(new OrderLine(sku, 1, 100)), "tok_visa"), SAGA);
    }

    private static void shop(
            SimulatedSystem system, Function<SimulatedNode, Object> billing, Function<SimulatedNode, Object> postman) {
        system.node(
                        "orders",
                        1,
                        node -> List.of(Sample.handler("orders.OrderDesk", ledger(system, node), node.bunny())))
                .node("billing", 2, node -> List.of(billing.apply(node)))
                .node(
                        "shipping",
                        1,
                        node -> List.of(Sample.handler("shipping.Warehouse", ledger(system, node), node.bunny())))
                .node("notifications", 1, node -> List.of(postman.apply(node)));
    }

    private static Map<String, Integer> once(String... effects) {
        Map<String, Integer> once = new HashMap<>();
        for (String effect : effects) {
            once.put(effect + " 7", 1);
        }
        return once;
    }
}
