// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Waits for one timeout, and notes when it ran. */
@BunnySaga(name = "Waiting")
public final class TimeoutSaga {

    public record Begin(int minutes) {}

    public record Move(int minutes) {}

    public record State(int runs) {}

    private final Supplier<Instant> clock;
    private final List<Instant> runs = new CopyOnWriteArrayList<>();

    public TimeoutSaga(Supplier<Instant> clock) {
        this.clock = clock;
    }

    public List<Instant> runs() {
        return List.copyOf(runs);
    }

    @Starts
    @BunnyHandler(from = "desk")
    State on(Begin begin, SagaContext saga) {
        saga.timeout("late", Duration.ofMinutes(begin.minutes()));
        return new State(0);
    }

    @BunnyHandler(from = "desk")
    void on(Move move, SagaContext saga) {
        saga.timeout("late", Duration.ofMinutes(move.minutes()));
    }

    @OnTimeout("late")
    State late(State state, SagaContext saga) {
        runs.add(clock.get());
        saga.complete();
        return new State(state.runs() + 1);
    }
}
