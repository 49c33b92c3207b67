// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.trip;

import io.safebunny.BunnyHandler;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;

/** Two steps, one after the other, and then whatever the order's kind wants. Thread-safe. */
@BunnySaga(name = TripSaga.NAME)
public final class TripSaga {

    public static final String NAME = "Trip";

    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration LATER = Duration.ofHours(1);

    public record StepA(String order, OrderKind kind) {}

    public record UndoA(String order) {}

    public record DoneA(String order) {}

    public record StepB(String order, OrderKind kind) {}

    public record UndoB(String order) {}

    public record DoneB(String order) {}

    public record State(String order, OrderKind kind) {}

    @Starts
    @BunnyHandler(from = "${desk}")
    State on(Order order, SagaContext saga) {
        saga.step("a", new StepA(order.id(), order.kind()), new UndoA(order.id()));
        saga.timeout("late", LATER);
        return new State(order.id(), order.kind());
    }

    @BunnyHandler(from = "${worker}")
    void on(DoneA done, State state, SagaContext saga) {
        saga.step("b", new StepB(state.order(), state.kind()), new UndoB(state.order()));
        if (state.kind() == OrderKind.SAGA_LATE || state.kind() == OrderKind.SAGA_BARRED) {
            saga.timeout("late", SOON);
        }
    }

    @BunnyHandler(from = "${worker}")
    void on(DoneB done, State state, SagaContext saga) {
        switch (state.kind()) {
            case SAGA_FAILS -> saga.fail("as the order wants");
            case SAGA_STUCK -> throw new IllegalStateException("This order fails");
            default -> saga.complete();
        }
    }

    @OnTimeout("late")
    void late(SagaContext saga) {
        saga.fail("too late");
    }
}
