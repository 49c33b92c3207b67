// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.concurrency.ReentrantTurns;
import io.safebunny.identity.RandomIds;
import io.safebunny.order.sharding.Division.Change;
import io.safebunny.order.sharding.SharedDivision.Stored;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Set;

/**
 * Whether messages of a type may be forwarded now: only while they are divided as this instance divides them. If they are not, each question
 * brings the change one step further.
 *
 * <p>Only one instance at a time gets messages to forward, but it does not know when that is over. So it reads the division at least every
 * second, and a change waits for two before it goes on: by then nobody goes by what was read before. Thread-safe.
 */
final class Gate {

    private static final long FRESH = Duration.ofSeconds(1).toNanos();
    private static final long SETTLED = Duration.ofSeconds(2).toNanos();
    private static final long MARKED_AGAIN = Duration.ofSeconds(10).toNanos();

    private final int wanted;
    private final SharedDivision division;
    private final Marker marker;
    private final Timeline timeline;
    private final ReentrantTurns turns;

    // changed in turns
    private boolean open;
    private long freshUntil;
    private boolean isKnown;
    /** Of the change that was seen last. */
    private String token = "";

    private long marksDue;

    /** Puts marks at the end of shards, unless they are there. */
    @FunctionalInterface
    interface Marker {
        void mark(Set<Integer> shards, String token);
    }

    /** @param wanted among how many shards this instance divides */
    Gate(int wanted, SharedDivision division, Marker marker, Timeline timeline) {
        this.wanted = wanted;
        this.division = division;
        this.marker = marker;
        this.timeline = timeline;
        this.turns = new ReentrantTurns(timeline);
    }

    /** @throws RuntimeException the store does not answer; the next question asks it again */
    boolean isOpen() {
        turns.lock();
        try {
            long now = timeline.nanoTime();
            if (!isKnown || now - freshUntil >= 0) {
                isKnown = false;
                open = advance(now);
                freshUntil = now + FRESH;
                isKnown = true;
            }
            return open;
        } finally {
            turns.unlock();
        }
    }

    private boolean advance(long now) {
        Stored stored = division.read();
        Division present = stored.division();
        if (present == null || !stored.isDivided()) {
            return division.write(stored, new Division(wanted));
        }
        Change change = present.change();
        if (change == null && present.count() == wanted) {
            return true;
        }
        if (change == null || change.to() != wanted) {
            // nothing has been forwarded by a change that is not done
            return present.count() == wanted ? division.write(stored, present.unchanged()) : begin(stored, present);
        }
        if (!change.token().equals(token)) {
            token = change.token();
            marksDue = now + SETTLED;
        }
        Set<Integer> undrained = present.undrained();
        if (undrained.isEmpty()) {
            return division.write(stored, present.changed());
        }
        if (now - marksDue >= 0) {
            marker.mark(undrained, token);
            marksDue = now + MARKED_AGAIN;
        }
        return false;
    }

    private boolean begin(Stored stored, Division present) {
        division.write(stored, present.changing(wanted, RandomIds.next(timeline.random()), timeline.now()));
        return false;
    }
}
