// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.orders;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.messages.CallOff;
import io.safebunny.samples.orders.orchestrated.messages.Capture;
import io.safebunny.samples.orders.orchestrated.messages.Captured;
import io.safebunny.samples.orders.orchestrated.messages.Declined;
import io.safebunny.samples.orders.orchestrated.messages.Refund;
import io.safebunny.samples.orders.orchestrated.messages.ReleaseStock;
import io.safebunny.samples.orders.orchestrated.messages.ReserveStock;
import io.safebunny.samples.orders.orchestrated.messages.ShipGoods;
import io.safebunny.samples.orders.orchestrated.messages.Shipped;
import io.safebunny.samples.orders.orchestrated.messages.SoldOut;
import io.safebunny.samples.orders.orchestrated.messages.StockReserved;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;

/**
 * Tells warehouse and bank what to do for an order, and has it undone if it comes to nothing. It only decides: whatever happens
 * outside is done by those to whom it sends messages.
 */
@BunnySaga
class OrderSaga {

    /** Why a saga has failed whose payment took too long. */
    static final String TOO_LATE = "the payment took too long";

    /** What is needed for the commands to come. */
    record State(String orderId, String customer, String cardToken, long cents) {}

    private static final String PAYMENT = "payment";
    private static final String STOCK = "stock";
    private static final String PAY = "pay";
    private static final String SHIP = "ship";

    private final Bunny bunny;
    private final Duration payWithin;

    OrderSaga(Bunny bunny, @Value("${shop.pay-within:15m}") Duration payWithin) {
        this.bunny = bunny;
        this.payWithin = payWithin;
    }

    @Starts
    @BunnyHandler(from = "storefront")
    State on(PlaceOrder order, SagaContext saga) {
        // sent before anything can come of the order
        bunny.publish(OrderNews.accepted(order.orderId(), order.customer()));
        saga.step(
                STOCK,
                new ReserveStock(order.orderId(), order.lines(), order.totalCents()),
                new ReleaseStock(order.orderId(), order.totalCents()));
        saga.timeout(PAYMENT, payWithin);
        bunny.publish(new OrderPlaced(
                order.orderId(), order.customer(), order.lines(), order.cardToken(), order.totalCents()));
        return new State(order.orderId(), order.customer(), order.cardToken(), order.totalCents());
    }

    @BunnyHandler(from = "shipping")
    void on(StockReserved reserved, State state, SagaContext saga) {
        saga.step(
                PAY,
                new Capture(state.orderId(), state.cardToken(), state.cents()),
                new Refund(state.orderId(), state.cents()));
        saga.timeout(PAYMENT, payWithin); // from now: the warehouse's time is not the customer's
    }

    @BunnyHandler(from = "shipping")
    void on(SoldOut missing, SagaContext saga) {
        saga.forget(STOCK); // refused: nothing to undo
        saga.fail(missing.sku() + " is sold out");
    }

    @BunnyHandler(from = "billing")
    void on(Captured captured, State state, SagaContext saga) {
        saga.cancelTimeout(PAYMENT); // from here on it never runs
        saga.step(SHIP, new ShipGoods(state.orderId(), state.cents()), new CallOff(state.orderId(), state.cents()));
    }

    @BunnyHandler(from = "billing")
    void on(Declined declined, SagaContext saga) {
        saga.forget(PAY);
        saga.fail("the card was declined");
    }

    @BunnyHandler(from = "shipping")
    void on(Shipped shipped, State state, SagaContext saga) {
        bunny.publish(OrderNews.completed(state.orderId(), state.customer()));
        saga.complete();
    }

    @OnTimeout(PAYMENT)
    void late(SagaContext saga) {
        saga.fail(TOO_LATE);
    }

    /** A payment is not worth waiting for a person; on everything else the saga waits. */
    @OnPoisoned
    void blocked(BlockedOn message, SagaContext saga) {
        if (message.type().equals(Capture.class.getSimpleName())) {
            saga.fail("the payment could not be taken: " + message.reason());
        }
    }
}
