// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import io.safebunny.time.Deadline;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Numbered places, each for one thread at a time. A thread with a key takes the place of its key, so that what has one key follows one
 * after another; any other thread takes the first free place. Who finds none waits on the deadline's timeline, in the order of arrival,
 * holds no place meanwhile, and so is in the way of nobody. A newcomer may overtake those who wait: a place that is reserved for a thread
 * that is still waking up would be unused meanwhile. But whom one has overtaken gets the place from hand to hand. Nothing is kept per
 * key. Thread-safe.
 */
final class Places {

    /** Instead of the number of a place: there is none. */
    static final int NONE = -1;

    private final int count;
    /** The free places. This set is also the lock for all that follows. */
    private final BitSet free;
    /** Who waits for this place only, by its number. */
    private final List<Deque<Turn>> lines;
    /** Who takes any place. */
    private final Deque<Turn> anywhere = new ArrayDeque<>();

    private long turns;

    Places(int count) {
        this.count = count;
        this.free = new BitSet(count);
        this.lines = Stream.<Deque<Turn>>generate(ArrayDeque::new).limit(count).toList();
        free.set(0, count);
    }

    /** A thread that waits. */
    private static final class Turn {

        /** {@link #NONE} for any. */
        final int wanted;

        final long number;
        /** Whether somebody has taken the place that was offered before. */
        final boolean overtaken;
        /** A free place, or, if it was overtaken, one that is held for it; {@link #NONE} as long as it is in line. Guarded by the lock. */
        int offered = NONE;
        /** Completed, without the lock, when a place is offered. */
        final CompletableFuture<Void> woken = new CompletableFuture<>();

        Turn(int wanted, long number, boolean overtaken) {
            this.wanted = wanted;
            this.number = number;
            this.overtaken = overtaken;
        }
    }

    /**
     * Takes a place, which the caller must {@linkplain #leave leave}.
     *
     * @param key whose place is wanted; {@code null} for any
     * @return {@link #NONE}: the deadline passed first
     */
    int take(@Nullable String key, Deadline deadline) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for a publisher channel");
        }
        Turn turn;
        synchronized (free) {
            turn = new Turn(key == null ? NONE : of(key), turns++, false);
            int place = takeFree(turn);
            if (place != NONE) {
                return place;
            }
            line(turn).addLast(turn);
        }
        return await(turn, deadline);
    }

    /** The place of a key, the same for as long as this lives. */
    private int of(String key) {
        int mixed = key.hashCode() * 0x9E3779B9; // Fibonacci hashing: keys that are counted up are spread, too
        return (mixed >>> 12) % count;
    }

    private int await(Turn first, Deadline deadline) throws InterruptedException {
        Turn turn = first;
        while (true) {
            boolean interrupted = true;
            try {
                boolean unused = deadline.await(turn.woken);
                interrupted = false;
            } finally {
                if (interrupted) {
                    giveUp(turn);
                }
            }
            synchronized (free) {
                if (turn.offered == NONE) {
                    line(turn).remove(turn);
                    return NONE;
                }
                int place = turn.overtaken ? turn.offered : takeFree(turn);
                if (place != NONE) {
                    return place;
                }
                turn = new Turn(turn.wanted, turn.number, true);
                line(turn).addFirst(turn);
            }
        }
    }

    /** Takes the place that was offered, if it still is free, so that no other one needs to be told of it. Call with the lock held. */
    private int takeFree(Turn turn) {
        int first = turn.offered == NONE ? turn.wanted : turn.offered;
        int place = first != NONE && free.get(first) ? first : turn.wanted == NONE ? free.nextSetBit(0) : NONE;
        if (place != NONE) {
            free.clear(place);
        }
        return place;
    }

    /** Ends the turn of a thread that was interrupted. What was offered to it is offered to the next one. */
    private void giveUp(Turn turn) {
        Turn next = null;
        synchronized (free) {
            if (turn.offered == NONE) {
                line(turn).remove(turn);
            } else if (turn.overtaken || free.get(turn.offered)) {
                next = offer(turn.offered);
            }
        }
        wake(next);
    }

    void leave(int place) {
        Turn next;
        synchronized (free) {
            next = offer(place);
        }
        wake(next);
    }

    /** Offers a place that nobody holds to the one who has waited longest. Call with the lock held, then {@link #wake} it. */
    private @Nullable Turn offer(int place) {
        Turn next = longest(lines.get(place), anywhere).pollFirst();
        free.set(place, next == null || !next.overtaken);
        if (next != null) {
            next.offered = place;
        }
        return next;
    }

    private static Deque<Turn> longest(Deque<Turn> one, Deque<Turn> other) {
        Turn first = one.peekFirst();
        Turn second = other.peekFirst();
        return second == null || (first != null && first.number < second.number) ? one : other;
    }

    private static void wake(@Nullable Turn next) {
        if (next != null) {
            next.woken.complete(null);
        }
    }

    private Deque<Turn> line(Turn turn) {
        return turn.wanted == NONE ? anywhere : lines.get(turn.wanted);
    }
}
