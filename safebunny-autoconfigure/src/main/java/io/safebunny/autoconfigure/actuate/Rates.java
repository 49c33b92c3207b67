// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.observation.Tallies.Tally;
import io.safebunny.time.Timeline;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * How many messages this instance has handled per second, in about the last minute. It counts only when somebody looks: a look goes back a
 * minute, or to the last look before that. If that was more than two minutes ago, it says nothing of now: counting begins anew. Thread-safe.
 */
final class Rates {

    private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);
    /** Longer windows are history. */
    private static final long LONGEST = 2 * WINDOW;
    /** Shorter windows say nothing. */
    private static final long LEAST = TimeUnit.SECONDS.toNanos(2);

    private final Supplier<Collection<Tally>> tallies;
    private final Timeline timeline;
    /** The oldest first: the last look that is a minute old, and those since. Never empty. */
    private final Deque<Look> looks = new ArrayDeque<>();

    private record Look(long at, Tally total) {}

    Rates(Supplier<Collection<Tally>> tallies, Timeline timeline) {
        this.tallies = tallies;
        this.timeline = timeline;
        looks.add(look());
    }

    private Look look() {
        return new Look(timeline.nanoTime(), tallies.get().stream().reduce(Tally.NONE, Tally::plus));
    }

    /** Per second, and how many seconds they are of; {@code null} as long as too few are counted. */
    synchronized Map<String, Object> now() {
        Look now = look();
        if (now.at() - looks.getLast().at() >= LEAST) {
            looks.add(now);
        }
        while (isMinuteOld(now)) {
            looks.removeFirst();
        }
        if (now.at() - looks.getFirst().at() > LONGEST) {
            looks.clear();
            looks.add(now);
        }
        return rates(now, looks.getFirst());
    }

    private static Map<String, Object> rates(Look now, Look before) {
        long nanos = now.at() - before.at();
        boolean isKnown = nanos >= LEAST;
        double seconds = (double) nanos / TimeUnit.SECONDS.toNanos(1);
        Map<String, Object> rates = new LinkedHashMap<>();
        rates.put(
                "handled",
                isKnown ? perSecond(now.total().handled() - before.total().handled(), seconds) : null);
        rates.put(
                "retried",
                isKnown ? perSecond(now.total().retried() - before.total().retried(), seconds) : null);
        rates.put(
                "setAside",
                isKnown ? perSecond(now.total().setAside() - before.total().setAside(), seconds) : null);
        rates.put("seconds", isKnown ? Math.round(seconds) : null);
        return rates;
    }

    /** Whether the second look is enough for a whole minute, so that the first is not needed. */
    private boolean isMinuteOld(Look now) {
        return looks.size() > 1
                && now.at() - looks.stream().skip(1).findFirst().orElse(now).at() >= WINDOW;
    }

    /** With two decimals. */
    private static double perSecond(long messages, double seconds) {
        return Math.round(messages / seconds * 100) / 100.0;
    }
}
