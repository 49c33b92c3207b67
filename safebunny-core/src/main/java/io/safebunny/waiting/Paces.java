// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Computes when callers that find a line full should retry: one after the other, at about the pace at which the line moves. With
 * a constant delay all of them would retry several times a second. Thread-safe.
 */
final class Paces<K> {

    static final Duration SHORTEST = Duration.ofMillis(200);
    static final Duration LONGEST = Duration.ofSeconds(30);

    static final int MOST_KEYS = 1_000;

    /** Used until a turn has been measured. Too short costs a few extra retries; too long leaves the line empty. */
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

    /** Pace of one key; times in nanoseconds. */
    private static final class Pace {
        private long turn = FIRST_GUESS;
        private long next;

        Pace(long now) {
            this.next = now;
        }
    }

    /** The next free slot in the schedule, or a random delay if that slot is too far in the future to predict. */
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
        // slightly faster than the line moves, so that the line never runs empty
        pace.next = due + pace.turn * 3 / 4;
        return Duration.ofNanos(Math.max(due - now, SHORTEST.toNanos()));
    }

    /** Records how long a turn lasted; only for keys whose line has been full. */
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
