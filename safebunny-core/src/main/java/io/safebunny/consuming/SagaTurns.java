// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.saga.running.Correlation;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.waiting.Turns;
import io.safebunny.waiting.Turns.Hold;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets the messages of one saga in one at a time: here a wait costs least, for other instances of the node there is the store. Half of
 * the queue's places may wait; the others come back about when it is their turn, so that a saga with many messages does not hold up its
 * neighbours. Thread-safe.
 */
final class SagaTurns implements Middleware<HandledMessage> {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Correlation correlation;
    private final Turns<String> turns;
    private final Timeline timeline;
    private final int mostWaiting;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param turns of all queues of the node */
    SagaTurns(Correlation correlation, Turns<String> turns, Timeline timeline, int prefetch) {
        this.correlation = correlation;
        this.turns = turns;
        this.timeline = timeline;
        this.mostWaiting = prefetch / 2;
    }

    @Override
    public void invoke(HandledMessage message, Next next) throws Exception {
        String saga = correlation.enter(message.handling, message.payload());
        Hold turn = turns.tryTake(saga);
        if (turn == null) {
            turn = await(saga, message);
        }
        AtomicReference<@Nullable Hold> held = new AtomicReference<>(turn);
        // what comes after the completion, sending above all, need not hold up the next message
        message.handling.records().whenCompleted(() -> give(held));
        try {
            next.run();
        } finally {
            give(held);
        }
    }

    private static void give(AtomicReference<@Nullable Hold> held) {
        Hold turn = held.getAndSet(null);
        if (turn != null) {
            turn.close();
        }
    }

    private Hold await(String saga, HandledMessage message) {
        try {
            Hold turn = waiting.incrementAndGet() <= mostWaiting
                    ? turns.await(saga, Deadline.after(PATIENCE, timeline))
                    : null;
            if (turn != null) {
                return turn;
            }
        } catch (InterruptedException e) { // the process is stopping
            Thread.currentThread().interrupt();
        } finally {
            waiting.decrementAndGet();
        }
        throw NotHandledException.later(
                "Message %s waits for other messages of saga %s".formatted(message.messageId(), saga),
                turns.comesAgainIn(saga));
    }
}
