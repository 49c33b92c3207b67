// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import java.util.List;
import java.util.Map;

/** A handler that publishes before it has succeeded: each of its attempts must publish the same message. */
public final class Receipts {

    private Receipts() {}

    record ReceiptSent(String order) {}

    public static void declare(SimulatedSystem system) {
        system.node("receipts", 1, node -> List.of(new Sender(node)))
                .node("archive", 1, node -> List.of(new Archive(node)))
                .holds(
                        "a receipt is sent and filed once",
                        () -> assertThat(system.effects().all()).isEqualTo(Map.of("send 7", 1, "file 7", 1)));
        Choreographed.place(system, "hay");
    }

    record Sender(SimulatedNode node) {

        @BunnyHandler(from = "storefront")
        void on(PlaceOrder order, MessageContext context) {
            var unused = node.bunny().publishNow(new ReceiptSent(order.orderId()));
            node.perform("send " + order.orderId(), context.messageId());
        }
    }

    record Archive(SimulatedNode node) {

        @BunnyHandler(from = "receipts")
        void on(ReceiptSent sent, MessageContext context) {
            node.perform("file " + sent.order(), context.messageId());
        }
    }
}
