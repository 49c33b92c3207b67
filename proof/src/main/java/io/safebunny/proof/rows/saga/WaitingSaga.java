// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Waits for one timeout, and notes how late it ran. Thread-safe. */
@BunnySaga(name = WaitingSaga.NAME)
public final class WaitingSaga {

    public static final String NAME = "Waiting";

    public record Wait(String id, long due) {}

    public record State(String id, long due) {}

    /** Milliseconds after its time, of each run of each saga's timeout. */
    public final Map<String, List<Long>> runs = new ConcurrentHashMap<>();

    private final Supplier<Instant> clock;

    public WaitingSaga(Supplier<Instant> clock) {
        this.clock = clock;
    }

    @Starts
    @BunnyHandler(from = "${desk}")
    State on(Wait wait, SagaContext saga) {
        saga.timeoutAt("late", Instant.ofEpochMilli(wait.due()));
        return new State(wait.id(), wait.due());
    }

    @OnTimeout("late")
    void late(State state, SagaContext saga) {
        runs.computeIfAbsent(state.id(), id -> new CopyOnWriteArrayList<>())
                .add(clock.get().toEpochMilli() - state.due());
        saga.complete();
    }
}
