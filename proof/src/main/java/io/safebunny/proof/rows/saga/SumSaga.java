// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Adds up. Thread-safe. */
@BunnySaga(name = SumSaga.NAME)
public final class SumSaga {

    public static final String NAME = "Sums";

    public record Begin() {}

    public record Add(int amount) {}

    /** Sent to a saga next to the busiest one. */
    public record Beside(long sentAt) {}

    record State(int messages, int sum) {}

    public final AtomicInteger begun = new AtomicInteger();
    public final AtomicInteger runs = new AtomicInteger();
    public final AtomicInteger retries = new AtomicInteger();
    public final List<Long> beside = new CopyOnWriteArrayList<>();

    @Starts
    @BunnyHandler(from = "${desk}")
    State on(Begin begin) {
        begun.incrementAndGet();
        return new State(0, 0);
    }

    @BunnyHandler(from = "${desk}")
    State on(Add add, State state, MessageContext context) {
        runs.incrementAndGet();
        if (context.attempt() > 0) {
            retries.incrementAndGet();
        }
        return new State(state.messages() + 1, state.sum() + add.amount());
    }

    /** Records how long the message took to arrive. */
    @BunnyHandler(from = "${desk}")
    State on(Beside message, State state) {
        beside.add(System.nanoTime() - message.sentAt());
        return new State(state.messages() + 1, state.sum());
    }
}
