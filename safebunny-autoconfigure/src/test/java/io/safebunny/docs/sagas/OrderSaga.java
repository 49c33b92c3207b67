// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

import io.safebunny.BunnyHandler;
import io.safebunny.docs.sagas.Messages.Capture;
import io.safebunny.docs.sagas.Messages.Captured;
import io.safebunny.docs.sagas.Messages.Declined;
import io.safebunny.docs.sagas.Messages.PlaceOrder;
import io.safebunny.docs.sagas.Messages.Refund;
import io.safebunny.docs.sagas.Messages.ReleaseStock;
import io.safebunny.docs.sagas.Messages.ReserveStock;
import io.safebunny.docs.sagas.Messages.StockReserved;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;

@BunnySaga
class OrderSaga {

    record State(String order, long cents) {}

    private final Duration payWithin;

    OrderSaga(@Value("${shop.pay-within:15m}") Duration payWithin) {
        this.payWithin = payWithin;
    }

    @Starts
    @BunnyHandler(from = "storefront")
    State on(PlaceOrder placed, SagaContext saga) {
        saga.step("stock", new ReserveStock(placed.order()), new ReleaseStock(placed.order()));
        saga.timeout("payment", payWithin);
        return new State(placed.order(), placed.cents());
    }

    @BunnyHandler(from = "warehouse")
    void on(StockReserved reserved, State state, SagaContext saga) {
        saga.step("pay", new Capture(state.order(), state.cents()), new Refund(state.order()));
    }

    @BunnyHandler(from = "billing")
    void on(Captured captured, SagaContext saga) {
        saga.complete(); // cancels the timeout, too
    }

    @BunnyHandler(from = "billing")
    void on(Declined declined, SagaContext saga) {
        saga.forget("pay"); // refused: nothing to undo
        saga.fail("declined");
    }

    @OnTimeout("payment")
    void late(SagaContext saga) {
        saga.fail("too late");
    }
}
