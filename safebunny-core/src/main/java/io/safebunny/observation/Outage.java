// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that does not work, from the first failure until it works again. An outage that returns within a minute of a logged end is
 * logged only when it ends again, so that flapping does not fill the log. Guarded by the lock of its log.
 */
final class Outage {

    private boolean down;
    /** Its beginning was logged, its end not yet. */
    private boolean told;

    private long begun;
    private long more;
    private long endTold;
    private boolean everEnded;
    private boolean planned;
    private String last = "";
    private String reason = "";
    private long reasonTold;

    /** Notes a failure. */
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

    /** Notes that it works. */
    void works() {
        down = false;
    }

    boolean isDown() {
        return down;
    }

    /** @return when its end may be logged, from now; {@code null} when there is nothing to log, or that is planned already */
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

    /** @return the line that it is over; {@code null} when it is not, or that has been logged */
    @Nullable
    String end(long now) {
        planned = false;
        if (down || !told) {
            return null;
        }
        told = false;
        everEnded = true;
        endTold = now;
        return "over after %d s%s".formatted(seconds(now), others());
    }

    /** @return the line about what has not been logged so far; {@code null} for nothing */
    @Nullable
    String rest(long now) {
        if (!down || !told) {
            return end(now);
        }
        told = false;
        return "for %d s by now%s".formatted(seconds(now), others());
    }

    private long seconds(long now) {
        return Duration.ofNanos(now - begun).toSeconds();
    }

    private String others() {
        return more == 0 ? "" : ", %,d more of it, the last one: %s".formatted(more, last);
    }
}
