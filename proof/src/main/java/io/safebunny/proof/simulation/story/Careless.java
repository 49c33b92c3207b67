// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.PaymentCaptured;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.messages.CallOff;
import io.safebunny.samples.orders.orchestrated.messages.Capture;
import io.safebunny.samples.orders.orchestrated.messages.Captured;
import io.safebunny.samples.orders.orchestrated.messages.Refund;
import io.safebunny.samples.orders.orchestrated.messages.ReleaseStock;
import io.safebunny.samples.orders.orchestrated.messages.ReserveStock;
import io.safebunny.samples.orders.orchestrated.messages.ShipGoods;
import io.safebunny.samples.orders.orchestrated.messages.Shipped;
import io.safebunny.samples.orders.orchestrated.messages.StockReserved;
import io.safebunny.test.simulation.Effects;
import io.safebunny.test.simulation.SimulatedNode;
import java.util.List;
import java.util.function.Consumer;

/** Handlers with the bugs that users write. */
public final class Careless {

    private Careless() {}

    public static void inAnotherThread(Runnable task) {
        Thread thread = new Thread(task, "careless");
        thread.setUncaughtExceptionHandler((same, failure) -> {}); // nobody looks there
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Charges in its own way. */
    public record Billing(SimulatedNode node, SimulatedLedger ledger, Charge charge, Consumer<Runnable> publishing) {

        public interface Charge {
            void perform(String order, MessageContext context);
        }

        @BunnyHandler(from = "orders")
        void on(OrderPlaced order, MessageContext context) {
            charge.perform(order.orderId(), context);
            ledger.record(Effect.CHARGE, order.orderId(), context, order.totalCents());
            publishing.accept(() -> {
                var unused = node.bunny()
                        .publish(new PaymentCaptured(
                                order.orderId(), order.customer(), order.lines(), order.totalCents()));
            });
        }
    }

    /** Tells of an order's end only to those who know that there is an order. */
    public record Postman(SimulatedLedger ledger, Effects effects) {

        @BunnyHandler(from = "orders")
        void on(OrderPlaced order, MessageContext context) {
            ledger.record(Effect.MAIL_RECEIVED, order.orderId(), context, 0);
        }

        @BunnyHandler(from = "orders")
        void on(OrderNews news, MessageContext context) {
            if (news.stage() != OrderNews.Stage.ACCEPTED && effects.count("MAIL_RECEIVED " + news.orderId()) > 0) {
                ledger.record(Effect.MAIL_OUTCOME, news.orderId(), context, 0);
            }
        }
    }

    /** Treats a late payment as one that was never made. */
    @BunnySaga
    public record OrderSaga(Bunny bunny) {

        private static final String PAYMENT = "payment";

        record State(String orderId, String customer, List<OrderLine> lines, String cardToken, long cents) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder order, SagaContext saga) {
            bunny.publish(OrderNews.accepted(order.orderId(), order.customer()));
            saga.step(
                    "stock",
                    new ReserveStock(order.orderId(), order.lines(), order.totalCents()),
                    new ReleaseStock(order.orderId(), order.totalCents()));
            bunny.publish(new OrderPlaced(
                    order.orderId(), order.customer(), order.lines(), order.cardToken(), order.totalCents()));
            return new State(order.orderId(), order.customer(), order.lines(), order.cardToken(), order.totalCents());
        }

        @BunnyHandler(from = "shipping")
        void on(StockReserved reserved, State state, SagaContext saga) {
            saga.step(
                    "pay",
                    new Capture(state.orderId(), state.cardToken(), state.cents()),
                    new Refund(state.orderId(), state.cents()));
            saga.timeout(PAYMENT, Orchestrated.PAY_WITHIN);
        }

        @BunnyHandler(from = "billing")
        void on(Captured captured, State state, SagaContext saga) {
            saga.cancelTimeout(PAYMENT);
            saga.step(
                    "ship", new ShipGoods(state.orderId(), state.cents()), new CallOff(state.orderId(), state.cents()));
        }

        @OnTimeout(PAYMENT)
        void late(State state, SagaContext saga) {
            saga.forget("pay"); // "there was no payment"
            saga.fail("the payment took too long");
        }

        @BunnyHandler(from = "shipping")
        void on(Shipped shipped, State state, SagaContext saga) {
            bunny.publish(OrderNews.completed(state.orderId(), state.customer()));
            saga.complete();
        }
    }
}
