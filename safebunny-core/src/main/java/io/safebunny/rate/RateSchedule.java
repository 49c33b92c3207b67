// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which times are given away at which the messages of a type begin to be handled: all up to {@code last}. So whoever takes some replaces the
 * schedule, and nobody takes them again. It holds no rate, so that a new one counts at once. Times are nanoseconds since the epoch, by the
 * clock of the schedule. Immutable.
 *
 * @param last the latest time that somebody has
 * @param changedAt when the schedule was last changed
 * @param quietUntil nothing begins before, because a handler was throttled; for a minute after that the rate is halved
 */
public record RateSchedule(long last, long changedAt, long quietUntil) {

    /** Nothing is given away. */
    public static final RateSchedule UNUSED = new RateSchedule(0, 0, 0);

    private static final long SLOW = Duration.ofMinutes(1).toNanos();
    /** What is wrong for longer than that is left to the breakers, which can be closed. */
    private static final Duration LONGEST_QUIET = Duration.ofMinutes(10);

    /**
     * Times that are now given away.
     *
     * @param first the first of them
     * @param count how many
     * @param step from one to the next
     * @param after the schedule without them
     */
    public record Lease(long first, int count, long step, RateSchedule after) {}

    /** The earliest time that nobody has. What was free in the past is gone: there are no bursts. */
    public long next(HandlingRate rate, long now) {
        return Math.max(Math.max(last + step(rate, last), now), quietUntil);
    }

    /**
     * Gives away the next times.
     *
     * @param now by the clock of the schedule
     * @param most how many
     * @param until latest time that the first one may have
     * @return {@code null} if it is later
     */
    public @Nullable Lease lease(HandlingRate rate, long now, int most, long until) {
        long first = next(rate, now);
        if (first > until) {
            return null;
        }
        long step = step(rate, first);
        return new Lease(first, most, step, new RateSchedule(first + (most - 1) * step, now, quietUntil));
    }

    /** Nothing begins for this long, or for ten minutes if that is less. */
    public RateSchedule throttled(long now, Duration pause) {
        Duration quiet = pause.compareTo(LONGEST_QUIET) > 0 ? LONGEST_QUIET : pause;
        return new RateSchedule(last, now, Math.max(quietUntil, now + quiet.toNanos()));
    }

    /** Whether the rate is halved at this time. */
    public boolean isSlow(long time) {
        return quietUntil != 0 && time - quietUntil < SLOW;
    }

    /** From a beginning at this time to the next one. */
    public long step(HandlingRate rate, long time) {
        return isSlow(time) ? 2 * rate.interval() : rate.interval();
    }
}
