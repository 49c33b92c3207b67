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
 * Lets one message of a saga in at a time, within this process; between instances the store does that. At most half of the prefetch may
 * wait here; further messages go back to the queue until about their turn, so that a busy saga does not hold up the others. Thread-safe.
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

    /** A turn that may be closed more than once, by the thread that took it; {@code null} if the message has to come back. */
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

    /** Sends the message back until about its turn. */
    Returned comesBack(String saga, HandledMessage message) {
        return Returned.because(NotHandledException.later(
                "Message %s waits for other messages of saga %s".formatted(message.messageId(), saga),
                turns.comesAgainIn(saga)));
    }
}
