// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Counts the lines of one subject: those logged in full in this minute, and those that were only counted. Guarded by the lock of its log.
 */
final class Flood {

    private final int most;
    private long begun;
    private int inFull;
    private long more;
    private boolean goesOn;
    private boolean planned;
    private String last = "";

    Flood(int most, long now) {
        this.most = most;
        this.begun = now;
    }

    /** Counts an event; returns whether to log it in full. */
    boolean admit(String which, long now) {
        if (more == 0 && isPast(now)) {
            beginMinute(now, false);
        }
        if (!goesOn && inFull < most) {
            inFull++;
            return true;
        }
        more++;
        last = which;
        return false;
    }

    private boolean isPast(long now) {
        return now - begun >= BoundedLog.INTERVAL.toNanos();
    }

    private void beginMinute(long now, boolean itGoesOn) {
        begun = now;
        inFull = 0;
        goesOn = itGoesOn;
    }

    /** @return time until the count must be logged; {@code null} if logging it is already planned */
    @Nullable
    Duration plan(long now) {
        if (planned) {
            return null;
        }
        planned = true;
        return Duration.ofNanos(Math.max(0, begun + BoundedLog.INTERVAL.toNanos() - now));
    }

    void unplan() {
        planned = false;
    }

    /** @return a line with the count of lines that were not logged in full; {@code null} if all were */
    @Nullable
    String count(long now) {
        planned = false;
        if (more == 0) {
            return null;
        }
        String count = String.format(
                Locale.ROOT,
                "%,d more in the last %d s, the last one: %s",
                more,
                Duration.ofNanos(now - begun).toSeconds(),
                last);
        beginMinute(now, more > most);
        more = 0;
        return count;
    }

    boolean isOver(long now) {
        return more == 0 && isPast(now);
    }
}
