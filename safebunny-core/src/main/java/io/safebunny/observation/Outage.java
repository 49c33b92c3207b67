// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An outage, from the first failure until the first success. Its end is logged at most once a minute, and an outage that recurs
 * before that counts as the same one, so that flapping does not fill the log. Guarded by the lock of its log.
 */
final class Outage {

    private boolean down;
    /** Whether the beginning of the outage has been logged, but not its end. */
    private boolean told;

    private long begun;
    private long more;
    private long endTold;
    private boolean everEnded;
    private boolean planned;
    private String last = "";
    private String reason = "";
    private long reasonTold;

    /** Records a failure; returns whether to log it in full. */
    boolean begins(String which, String why, long now) {
        down = true;
        boolean other = !why.equals(reason) && now - reasonTold >= BoundedLog.INTERVAL.toNanos();
        if (!told) {
            begun = now;
            more = 0;
        }
        if (!told || other) {
            told = true;
            reason = why;
            reasonTold = now;
            return true;
        }
        more++;
        last = which;
        return false;
    }

    /** Records a success. */
    void works() {
        down = false;
    }

    boolean isDown() {
        return down;
    }

    /** @return time until its end may be logged; {@code null} if there is nothing to log or logging is already planned */
    @Nullable
    Duration plan(long now) {
        if (!told || planned) {
            return null;
        }
        planned = true;
        long next = everEnded ? endTold + BoundedLog.INTERVAL.toNanos() - now : 0;
        return Duration.ofNanos(Math.max(0, next));
    }

    void unplan() {
        planned = false;
    }

    /** @return a line that the outage is over; {@code null} if it is not over, or its end has been logged */
    @Nullable
    String end(long now) {
        planned = false;
        if (down || !told) {
            return null;
        }
        told = false;
        everEnded = true;
        endTold = now;
        return "over after %s s%s".formatted(seconds(now), others());
    }

    /** @return a line about everything not logged so far; {@code null} if there is nothing */
    @Nullable
    String rest(long now) {
        if (!down || !told) {
            return end(now);
        }
        told = false;
        return "for %s s so far%s".formatted(seconds(now), others());
    }

    private long seconds(long now) {
        return Duration.ofNanos(now - begun).toSeconds();
    }

    private String others() {
        return more == 0 ? "" : String.format(Locale.ROOT, ", %,d more of it, the last one: %s", more, last);
    }
}
