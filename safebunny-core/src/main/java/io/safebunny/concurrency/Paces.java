// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

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

    /**
     * Assumed length of a turn until one has been measured. Too short a guess costs a few extra retries; too long a guess leaves the line
     * empty.
     */
    private static final long FIRST_GUESS = Duration.ofMillis(20).toNanos();

    /** Weight of the last turn in the average. */
    private static final int SMOOTHING = 8;

    private final Map<K, Schedule> paces = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Schedule> eldest) {
            return size() > MOST_KEYS;
        }
    };
    private final RandomGenerator random;

    Paces(RandomGenerator random) {
        this.random = random;
    }

    /** Schedule of one key; times in nanoseconds. */
    private static final class Schedule {
        private long turn = FIRST_GUESS;
        private long next;

        Schedule(long now) {
            this.next = now;
        }
    }

    /** When to retry: at the next free slot of the schedule, or after a random delay if that slot is too far in the future to predict. */
    synchronized Duration comesAgainIn(K key, long now) {
        Schedule schedule = paces.get(key);
        if (schedule == null || now - schedule.next > LONGEST.toNanos()) {
            schedule = new Schedule(now);
            paces.put(key, schedule);
        }
        if (schedule.next - now > LONGEST.toNanos()) {
            return LONGEST.dividedBy(2).plusNanos(random.nextLong(LONGEST.toNanos() / 2));
        }
        long due = Math.max(schedule.next, now);
        // slightly faster than the line moves, so that the line never runs empty
        schedule.next = due + schedule.turn * 3 / 4;
        return Duration.ofNanos(Math.max(due - now, SHORTEST.toNanos()));
    }

    /** Records how long a turn lasted. Has an effect only for keys whose line has been full. */
    synchronized void took(K key, long nanos) {
        Schedule schedule = paces.get(key);
        if (schedule != null) {
            schedule.turn += (nanos - schedule.turn) / SMOOTHING;
        }
    }

    synchronized int size() {
        return paces.size();
    }
}
