// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.recovery.Ending.Returned;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.waiting.Turns;
import io.safebunny.waiting.Turns.Hold;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets the messages of one saga in one at a time: here a wait costs least, for other instances of the node there is the store. Half of
 * the queue's places may wait; the others come back about when it is their turn, so that a saga with many messages does not hold up its
 * neighbours. Thread-safe.
 */
final class SagaTurns {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Turns<String> turns;
    private final Timeline timeline;
    private final int mostWaiting;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param turns of all queues of the node */
    SagaTurns(Turns<String> turns, Timeline timeline, int prefetch) {
        this.turns = turns;
        this.timeline = timeline;
        this.mostWaiting = prefetch / 2;
    }

    /** May be closed more than once, by the thread that has it; {@code null} when the message is to come back, because it waited in vain. */
    @Nullable
    Hold take(String saga) {
        Hold free = turns.tryTake(saga);
        Hold turn = free == null ? await(saga) : free;
        return turn == null ? null : new Taken(turn);
    }

    private static final class Taken implements Hold {
        private @Nullable Hold held;

        Taken(Hold turn) {
            this.held = turn;
        }

        @Override
        public void close() {
            if (held != null) {
                held.close();
                held = null;
            }
        }
    }

    private @Nullable Hold await(String saga) {
        try {
            return waiting.incrementAndGet() <= mostWaiting
                    ? turns.await(saga, Deadline.after(PATIENCE, timeline))
                    : null;
        } catch (InterruptedException e) { // the process is stopping
            Thread.currentThread().interrupt();
            return null;
        } finally {
            waiting.decrementAndGet();
        }
    }

    /** About when it is its turn. */
    Returned comesBack(String saga, HandledMessage message) {
        return Returned.because(NotHandledException.later(
                "Message %s waits for other messages of saga %s".formatted(message.messageId(), saga),
                turns.comesAgainIn(saga)));
    }
}
