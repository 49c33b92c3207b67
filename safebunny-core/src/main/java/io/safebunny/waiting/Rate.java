// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.time.Timeline;
import java.time.Duration;

/** When the next copy may be moved. Confined to one thread. */
final class Rate {

    private static final double NANOS_PER_SECOND = 1e9;
    /** A day. */
    private static final double LONGEST_PAUSE = 86_400 * NANOS_PER_SECOND;

    private static final long MOST_MADE_UP = Duration.ofMillis(100).toNanos();

    private final double perSecond;
    private final Timeline timeline;
    private long nextTurn;

    /** @param perSecond 0 for as fast as can be */
    Rate(double perSecond, Timeline timeline) {
        this.perSecond = perSecond;
        this.timeline = timeline;
        this.nextTurn = timeline.nanoTime();
    }

    /** Until the next one. */
    Duration left() {
        return perSecond == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, nextTurn - timeline.nanoTime()));
    }

    /** One is moved now. Once it was held up, it makes up for a moment and no more, or it would be faster than it may. */
    void take() {
        if (perSecond > 0) {
            nextTurn = Math.max(nextTurn, timeline.nanoTime() - MOST_MADE_UP)
                    + (long) Math.min(NANOS_PER_SECOND / perSecond, LONGEST_PAUSE);
        }
    }
}
