// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Lines of one kind: how many were logged in full this minute, and how many were only counted. Guarded by the lock of its log. */
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

    /** Notes one more. */
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

    /** @return when its count must be logged, from now; {@code null} when that is planned already */
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

    /** @return the line about what was only counted; {@code null} for nothing */
    @Nullable
    String count(long now) {
        planned = false;
        if (more == 0) {
            return null;
        }
        String count = "%,d more in the last %d s, the last one: %s"
                .formatted(more, Duration.ofNanos(now - begun).toSeconds(), last);
        beginMinute(now, more > most);
        more = 0;
        return count;
    }

    boolean isOver(long now) {
        return more == 0 && isPast(now);
    }
}
