// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.concurrency.Turns;
import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets one message of a saga in at a time, within this process; between instances the store does that. At most half of the prefetch may
 * wait here; further messages go back to the queue until about their turn, so that a busy saga does not hold up the others. If several
 * instances race for a saga, the one that loses lets the winner handle some messages. Thread-safe.
 */
public final class SagaTurns {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How many turns of the winner the loser waits for, if messages wait here: without a pause, both would race for each message. */
    private static final int TURNS_OF_WINNER = 8;

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final Turns<String> turns;
    private final Timeline timeline;
    private final int mostWaiting;
    private final int mostPausing;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger pausing = new AtomicInteger();

    /** @param turns of all queues of the node */
    public SagaTurns(Turns<String> turns, Timeline timeline, int prefetch) {
        this.turns = turns;
        this.timeline = timeline;
        this.mostWaiting = prefetch / 2;
        this.mostPausing = prefetch / 4;
    }

    /** A turn that may be closed more than once, by the thread that took it; {@code null} if the message has to come back. */
    public @Nullable Hold take(String saga) {
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

    /**
     * Call after a race for the saga was lost, with its turn. Waits, unless a quarter of the prefetch does already, for as long as the
     * winner may need: a moment, or several turns if messages wait here, because then the instances would race for each of them.
     *
     * @param took how long the run that lost took, in nanoseconds
     * @param losses of this message, this one included
     */
    public void letWinnerGoOn(String saga, long took, int losses) {
        int others = turns.isWaitedFor(saga) ? TURNS_OF_WINNER : losses - 1;
        long pause = (long) (took * others * (0.5 + timeline.random().nextDouble()));
        try {
            if (pausing.incrementAndGet() <= mostPausing && pause > 0) {
                timeline.sleep(Duration.ofNanos(Math.min(pause, LONGEST_PAUSE.toNanos())));
            }
        } catch (InterruptedException e) { // the process is stopping
            Thread.currentThread().interrupt();
        } finally {
            pausing.decrementAndGet();
        }
    }

    /** Sends the message back until about its turn. */
    public Returned comesBack(String saga, String messageId) {
        return Returned.because(NotHandledException.later(
                "Message %s waits for other messages of saga %s".formatted(messageId, saga), turns.comesAgainIn(saga)));
    }
}
