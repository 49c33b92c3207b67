// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;

/** A saga with everything a scenario can show. */
@BunnySaga
class OrderSaga {

    record PlaceOrder(String order, long cents) {}

    record ReserveStock(String order) {}

    record StockReserved(String order) {}

    record ReleaseStock(String order) {}

    record Capture(String order, long cents) {}

    record Captured(String order) {}

    record Declined(String order) {}

    record Refund(String order) {}

    record Shipped(String order) {}

    /** The saga's. */
    record State(String order, long cents) {}

    @Starts
    @BunnyHandler(from = "storefront")
    State on(PlaceOrder placed, SagaContext saga) {
        saga.step("stock", new ReserveStock(placed.order()), new ReleaseStock(placed.order()));
        saga.timeout("payment", Duration.ofMinutes(15));
        return new State(placed.order(), placed.cents());
    }

    @BunnyHandler(from = "warehouse")
    State on(StockReserved reserved, State state, SagaContext saga) {
        saga.step("pay", new Capture(state.order(), state.cents()), new Refund(state.order()));
        return new State(state.order(), state.cents() + 1);
    }

    @BunnyHandler(from = "billing")
    void on(Captured captured, SagaContext saga) {
        saga.complete();
    }

    @BunnyHandler(from = "billing")
    void on(Declined declined, SagaContext saga) {
        saga.forget("pay");
        saga.fail("declined");
    }

    @BunnyHandler(from = "carrier")
    void on(Shipped shipped) {
        throw new IllegalStateException("the van is full");
    }

    @OnTimeout("payment")
    void late(SagaContext saga) {
        saga.fail("too late");
    }

    @OnPoisoned
    void blocked(SagaContext saga) {
        saga.timeout("payment", Duration.ofHours(1));
    }
}
