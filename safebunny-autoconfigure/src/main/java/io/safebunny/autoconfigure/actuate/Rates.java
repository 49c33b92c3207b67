// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.observation.Tallies.Tally;
import io.safebunny.observation.Tallies.Times;
import io.safebunny.time.Timeline;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many messages this instance has handled per second in about the last minute, and how long they took, in all and by type. It counts
 * only when somebody looks: a look goes back a minute, or to the last look before that. If that was more than two minutes ago, it says
 * nothing of now: counting begins anew. Thread-safe.
 */
final class Rates {

    private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);
    /** Longer windows are history. */
    private static final long LONGEST = 2 * WINDOW;
    /** Shorter windows say nothing. */
    private static final long LEAST = TimeUnit.SECONDS.toNanos(2);
    /** Looks that follow faster are not kept, so a minute is a dozen of them. */
    private static final long BETWEEN = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<Map<String, Tally>> tallies;
    private final Timeline timeline;
    /** The oldest first: the last look that is a minute old, and those since. Never empty. */
    private final Deque<Look> looks = new ArrayDeque<>();

    private record Look(long at, Map<String, Tally> byType) {}

    /**
     * What was counted between two looks. Immutable.
     *
     * @param nanos between them
     */
    record Counted(long nanos, Map<String, Tally> before, Map<String, Tally> after) {

        private boolean isKnown() {
            return nanos >= LEAST;
        }

        /** Per second, and how many seconds they are of; {@code null} as long as these are too few. */
        Map<String, Object> rates() {
            return rates(after.keySet().stream().map(this::of).reduce(Tally.NONE, Tally::plus));
        }

        /** The same of one type. */
        Map<String, Object> rates(String type) {
            return rates(of(type));
        }

        /** Messages of the type that are being handled at the moment. */
        long inWork(String type) {
            return of(type).inWork();
        }

        /** Half of the type's messages, and 95 % of them, took at most so many milliseconds; {@code null} if none was handled. */
        Map<String, Object> criticalMillis(String type) {
            Times times = of(type).criticalTimes();
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("p50", isKnown() ? millis(times.within(0.5)) : null);
            view.put("p95", isKnown() ? millis(times.within(0.95)) : null);
            return view;
        }

        private static @Nullable Long millis(OptionalLong found) {
            return found.isPresent() ? (Long) found.getAsLong() : null;
        }

        private Tally of(String type) {
            return after.getOrDefault(type, Tally.NONE).since(before.getOrDefault(type, Tally.NONE));
        }

        private Map<String, Object> rates(Tally counted) {
            Map<String, Object> rates = new LinkedHashMap<>();
            rates.put("handled", perSecond(counted.handled()));
            rates.put("retried", perSecond(counted.retried()));
            rates.put("setAside", perSecond(counted.setAside()));
            rates.put("expired", perSecond(counted.expired()));
            rates.put("seconds", isKnown() ? (Long) Math.round(seconds()) : null);
            return rates;
        }

        private double seconds() {
            return (double) nanos / TimeUnit.SECONDS.toNanos(1);
        }

        /** With two decimals. */
        private @Nullable Double perSecond(long messages) {
            return isKnown() ? (Double) (Math.round(messages / seconds() * 100) / 100.0) : null;
        }
    }

    Rates(Supplier<Map<String, Tally>> tallies, Timeline timeline) {
        this.tallies = tallies;
        this.timeline = timeline;
        looks.add(look());
    }

    private Look look() {
        return new Look(timeline.nanoTime(), tallies.get());
    }

    /** Looks. */
    synchronized Counted counted() {
        Look now = look();
        if (now.at() - looks.getLast().at() >= BETWEEN) {
            looks.add(now);
        }
        while (isMinuteOld(now)) {
            looks.removeFirst();
        }
        if (now.at() - looks.getFirst().at() > LONGEST) {
            looks.clear();
            looks.add(now);
        }
        Look before = looks.getFirst();
        return new Counted(now.at() - before.at(), before.byType(), now.byType());
    }

    /** Whether the second look is enough for a whole minute, so that the first is not needed. */
    private boolean isMinuteOld(Look now) {
        return looks.size() > 1
                && now.at() - looks.stream().skip(1).findFirst().orElse(now).at() >= WINDOW;
    }
}
