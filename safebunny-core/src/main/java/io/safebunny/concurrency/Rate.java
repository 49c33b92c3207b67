// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Timeline;
import java.time.Duration;

/** Limits how often an action is done. Confined to one thread. */
public final class Rate {

    private static final double NANOS_PER_SECOND = 1e9;

    /** One day, in nanoseconds. */
    private static final double LONGEST_PAUSE = 86_400 * NANOS_PER_SECOND;

    private static final long MOST_MADE_UP = Duration.ofMillis(100).toNanos();

    private final double perSecond;
    private final Timeline timeline;
    private long nextTurn;

    /** @param perSecond 0 for no limit */
    public Rate(double perSecond, Timeline timeline) {
        this.perSecond = perSecond;
        this.timeline = timeline;
        this.nextTurn = timeline.nanoTime();
    }

    /** Time until the next action may be done; zero if it may be done now. */
    public Duration left() {
        return perSecond == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, nextTurn - timeline.nanoTime()));
    }

    /** Call for each action. After a delay, at most 100 ms are made up for, so actions are never much more frequent than the rate. */
    public void take() {
        if (perSecond > 0) {
            nextTurn = Math.max(nextTurn, timeline.nanoTime() - MOST_MADE_UP)
                    + (long) Math.min(NANOS_PER_SECOND / perSecond, LONGEST_PAUSE);
        }
    }
}
