// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * When those are to come again for whom there is no room in a line: at about the pace at which the line moves, one after the other.
 * A constant delay would have all who are left come again several times a second. Thread-safe.
 */
final class Paces<K> {

    static final Duration SHORTEST = Duration.ofMillis(200);
    static final Duration LONGEST = Duration.ofSeconds(30);

    static final int MOST_KEYS = 1_000;

    /** Until it is known better. Too short costs a few more comebacks; too long leaves the line empty. */
    private static final long FIRST_GUESS = Duration.ofMillis(20).toNanos();

    /** Weight of the last turn in the average. */
    private static final int SMOOTHING = 8;

    private final Map<K, Pace> paces = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Pace> eldest) {
            return size() > MOST_KEYS;
        }
    };
    private final RandomGenerator random;

    Paces(RandomGenerator random) {
        this.random = random;
    }

    /** Of one key, in nanoseconds. */
    private static final class Pace {
        private long turn = FIRST_GUESS;
        private long next;

        Pace(long now) {
            this.next = now;
        }
    }

    /** The next free place in the schedule, and a random one if that is too far away to be foreseen. */
    synchronized Duration comesAgainIn(K key, long now) {
        Pace pace = paces.get(key);
        if (pace == null || now - pace.next > LONGEST.toNanos()) {
            pace = new Pace(now);
            paces.put(key, pace);
        }
        if (pace.next - now > LONGEST.toNanos()) {
            return LONGEST.dividedBy(2).plusNanos(random.nextLong(LONGEST.toNanos() / 2));
        }
        long due = Math.max(pace.next, now);
        pace.next = due + pace.turn * 3 / 4; // a little too fast: the line takes some, and is never empty
        return Duration.ofNanos(Math.max(due - now, SHORTEST.toNanos()));
    }

    /** How long a turn lasted; remembered only for those for whom somebody had to come again. */
    synchronized void took(K key, long nanos) {
        Pace pace = paces.get(key);
        if (pace != null) {
            pace.turn += (nanos - pace.turn) / SMOOTHING;
        }
    }

    synchronized int size() {
        return paces.size();
    }
}
