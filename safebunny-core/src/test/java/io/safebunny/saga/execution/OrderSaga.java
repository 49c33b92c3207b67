// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The saga of the design's example. */
@BunnySaga
class OrderSaga {

    record PlaceOrder(String id, long cents) {}

    record ReserveStock(String order) {}

    record ReleaseStock(String order) {}

    record StockReserved(String order) {}

    record Capture(String order, long cents) {}

    record Refund(String order) {}

    record Captured(String order) {}

    record Declined(String order) {}

    record State(String order, long cents) {}

    static final Duration PAYMENT = Duration.ofMinutes(15);

    boolean failing;
    boolean failingAtNews;
    final List<BlockedOn> poisoned = new ArrayList<>();

    @Starts
    @BunnyHandler(from = "storefront")
    State on(PlaceOrder placed, SagaContext saga) {
        saga.step("stock", new ReserveStock(placed.id()), new ReleaseStock(placed.id()));
        saga.timeout("payment", PAYMENT);
        return new State(placed.id(), placed.cents());
    }

    @BunnyHandler(from = "warehouse")
    State on(StockReserved reserved, State state, SagaContext saga) {
        if (failing) {
            throw new IllegalStateException("as the test wants");
        }
        saga.step("pay", new Capture(state.order(), state.cents()), new Refund(state.order()));
        return state;
    }

    @BunnyHandler(from = "billing")
    void on(Captured captured, State state, SagaContext saga) {
        boolean unused = saga.cancelTimeout("payment");
        saga.complete();
    }

    @BunnyHandler(from = "billing")
    void on(Declined declined, State state, SagaContext saga) {
        boolean unused = saga.forget("pay");
        saga.fail("declined");
    }

    @OnTimeout("payment")
    void late(State state, SagaContext saga) {
        saga.fail("too late");
    }

    @OnPoisoned
    void poisoned(BlockedOn blockedOn) {
        if (failingAtNews) {
            throw new IllegalStateException("as the test wants");
        }
        poisoned.add(blockedOn);
    }
}
