// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** An order with two steps, a sum that everybody adds to, and a timeout that is moved. {@code ShopModel} says what it must do. */
@BunnySaga(name = ShopSaga.NAME)
public final class ShopSaga {

    public static final String NAME = "Shop";
    public static final String NODE = "orders";
    public static final String PAYMENT = "payment";
    public static final Duration PAY_WITHIN = Duration.ofMinutes(2);

    public record PlaceOrder(String order, long cents) {}

    public record Note(long cents) {}

    public record Wait(long seconds) {}

    public record ReserveStock(String order) {}

    public record ReleaseStock(String order) {}

    public record StockReserved(String order) {}

    public record Capture(String order) {}

    public record Refund(String order) {}

    public record Captured(String order) {}

    public record Declined(String order) {}

    public record State(String order, long cents) {}

    private final BooleanSupplier fails;

    /** @param fails whether a run of one of its methods fails */
    public ShopSaga(BooleanSupplier fails) {
        this.fails = fails;
    }

    @Starts
    @BunnyHandler(from = "storefront")
    State on(PlaceOrder placed, SagaContext saga) {
        saga.step("stock", new ReserveStock(placed.order()), new ReleaseStock(placed.order()));
        saga.timeout(PAYMENT, PAY_WITHIN);
        return new State(placed.order(), placed.cents());
    }

    @BunnyHandler(from = "storefront")
    State on(Note note, State state) {
        return new State(state.order(), state.cents() + note.cents());
    }

    @BunnyHandler(from = "storefront")
    void on(Wait wait, SagaContext saga) {
        saga.timeout(PAYMENT, Duration.ofSeconds(wait.seconds()));
    }

    @BunnyHandler(from = "warehouse")
    void on(StockReserved reserved, State state, SagaContext saga) {
        if (fails.getAsBoolean()) {
            throw new IllegalStateException("as the proof wants");
        }
        saga.step("pay", new Capture(state.order()), new Refund(state.order()));
    }

    @BunnyHandler(from = "billing")
    void on(Captured captured, SagaContext saga) {
        saga.complete();
    }

    @BunnyHandler(from = "billing")
    void on(Declined declined, SagaContext saga) {
        boolean unused = saga.forget("pay");
        saga.fail("declined");
    }

    @OnTimeout(PAYMENT)
    void late(SagaContext saga) {
        saga.fail("too late");
    }
}
