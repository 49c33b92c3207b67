// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.samples.orders.billing.PaymentGateway;
import io.safebunny.samples.orders.orchestrated.messages.Capture;
import io.safebunny.samples.orders.orchestrated.messages.Refund;
import io.safebunny.test.simulation.Effects;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Stories of the sample's saga with state. */
public final class Orchestrated {

    /** Shorter than the stall of a process. */
    static final Duration PAY_WITHIN = Duration.ofSeconds(40);

    private Orchestrated() {}

    public static void delivered(SimulatedSystem system) {
        delivered(system, node -> saga(node));
    }

    public static void delivered(SimulatedSystem system, Function<SimulatedNode, Object> saga) {
        declare(system, saga, node -> billing(system, node, Banks.good(node)));
    }

    /** The bank answers after the saga has stopped waiting. */
    public static void late(SimulatedSystem system) {
        declare(
                system,
                Orchestrated::saga,
                node -> billing(system, node, Banks.slow(node, PAY_WITHIN.multipliedBy(2))));
    }

    /** The bank answers just as the saga stops waiting. */
    public static void racing(SimulatedSystem system) {
        declare(system, Orchestrated::saga, node -> billing(system, node, Banks.slow(node, PAY_WITHIN)));
    }

    /** The bank never answers. */
    public static void unpaid(SimulatedSystem system) {
        declare(system, Orchestrated::saga, node -> new SilentBilling());
        system.holds(
                "who does not pay gets nothing",
                () -> assertThat(system.effects().all()).containsKeys("TIMEOUT 7", "CANCELLED 7"));
    }

    public static Object saga(SimulatedNode node) {
        return Sample.handler("orchestrated.orders.OrderSaga", node.bunny(), PAY_WITHIN);
    }

    private static Object billing(SimulatedSystem system, SimulatedNode node, PaymentGateway bank) {
        return Sample.handler("orchestrated.billing.Billing", bank, Choreographed.ledger(system, node), node.bunny());
    }

    private static void declare(
            SimulatedSystem system, Function<SimulatedNode, Object> saga, Function<SimulatedNode, Object> billing) {
        system.node(
                        "orders",
                        2,
                        node -> List.of(
                                saga.apply(node),
                                Sample.handler(
                                        "orchestrated.orders.OrderBook",
                                        Choreographed.ledger(system, node),
                                        node.bunny(),
                                        node.sagas())))
                .node("billing", 1, node -> List.of(billing.apply(node)))
                .node(
                        "shipping",
                        1,
                        node -> List.of(Sample.handler(
                                "orchestrated.shipping.Warehouse", Choreographed.ledger(system, node), node.bunny())))
                .node("notifications", 1, node -> List.of(Choreographed.postman(system, node)));
        Choreographed.place(system, "hay");
        system.holds("an order is shipped and paid, or all is undone in reverse", () -> isConsistent(system.effects()))
                .holds("the saga has ended", () -> assertThat(system.sagas("orders", Choreographed.SAGA))
                        .singleElement()
                        .matches(view -> view.status().isEnded()));
    }

    private static void isConsistent(Effects effects) {
        List<String> done = new ArrayList<>(effects.all().keySet());
        boolean completed = done.contains("COMPLETED 7");
        assertThat(effects.all().values()).as("each once: %s", effects.all()).containsOnly(1);
        assertThat(done.contains("CANCELLED 7")).as("either way: %s", done).isEqualTo(!completed);
        assertThat(done).as("told of the outcome").contains("MAIL_OUTCOME 7");
        for (String[] pair :
                new String[][] {{"RESERVATION 7", "RELEASE 7"}, {"CHARGE 7", "REFUND 7"}, {"SHIPMENT 7", "RETURN 7"}}) {
            assertThat(done.contains(pair[0]))
                    .as("%s: %s", pair[0], done)
                    .isEqualTo(completed || done.contains(pair[1]));
            assertThat(done.contains(pair[1]))
                    .as("%s: %s", pair[1], done)
                    .isEqualTo(!completed && done.contains(pair[0]));
        }
        if (done.contains("REFUND 7") && done.contains("RELEASE 7")) {
            assertThat(done).as("the last step is undone first").containsSubsequence("REFUND 7", "RELEASE 7");
        }
    }

    /** Takes commands and does nothing. */
    static final class SilentBilling {

        @BunnyHandler(from = "orders")
        void on(Capture command) {}

        @BunnyHandler(from = "orders")
        void on(Refund undo) {}
    }
}
