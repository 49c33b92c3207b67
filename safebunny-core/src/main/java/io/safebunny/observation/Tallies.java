// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

/**
 * Counts what became of messages since the node was created, by type, whatever the application's meter registry keeps. Types are those of
 * the node's handlers, so their number is bounded. Thread-safe.
 */
public final class Tallies {

    private final Map<String, Counters> types = new ConcurrentHashMap<>();

    /**
     * What became of the messages of a type.
     *
     * @param handled completed messages
     * @param retried runs of a handler after its first, and copies that came back later
     * @param setAside messages put into the poison queue
     * @param expired messages whose deadline had passed: told to a method or dropped, which are handled, too, or set aside
     * @param inWork messages that are being handled at the moment
     * @param criticalTimes of completed messages, if it is known when they were sent
     */
    public record Tally(long handled, long retried, long setAside, long expired, long inWork, Times criticalTimes) {

        public static final Tally NONE = new Tally(0, 0, 0, 0, 0, Times.NONE);

        public Tally plus(Tally other) {
            return new Tally(
                    handled + other.handled,
                    retried + other.retried,
                    setAside + other.setAside,
                    expired + other.expired,
                    inWork + other.inWork,
                    criticalTimes.plus(other.criticalTimes, 1));
        }

        /** What was counted since an earlier one, and what is in work at the moment. */
        public Tally since(Tally before) {
            return new Tally(
                    handled - before.handled,
                    retried - before.retried,
                    setAside - before.setAside,
                    expired - before.expired,
                    inWork,
                    criticalTimes.plus(before.criticalTimes, -1));
        }
    }

    /** How many times were at most so long: 1, 2, 5, 10, 20, 50 ms and so on, up to days. The last step stands for all longer ones, too. Immutable. */
    public static final class Times {

        private static final long LAST = 1_000_000_000;
        private static final long[] STEPS = LongStream.iterate(1, step -> step <= LAST, step -> step * 10)
                .flatMap(step -> LongStream.of(step, 2 * step, 5 * step))
                .filter(step -> step <= LAST)
                .toArray();

        static final Times NONE = new Times(new long[STEPS.length]);

        private final long[] counts;

        private Times(long[] counts) {
            this.counts = counts;
        }

        /** The first step that is not shorter. */
        private static int step(long millis) {
            int found = Arrays.binarySearch(STEPS, Math.min(millis, LAST));
            return found >= 0 ? found : -found - 1;
        }

        /**
         * In milliseconds, the first step that is not shorter than this share of the times.
         *
         * @param share more than 0, at most 1
         * @return empty if nothing was counted
         */
        public OptionalLong within(double share) {
            double wanted = share * Arrays.stream(counts).sum();
            long found = 0;
            for (int i = 0; i < counts.length; i++) {
                found += counts[i];
                if (found > 0 && found >= wanted) {
                    return OptionalLong.of(STEPS[i]);
                }
            }
            return OptionalLong.empty();
        }

        private Times plus(Times other, int sign) {
            long[] sums = counts.clone();
            Arrays.setAll(sums, i -> counts[i] + sign * other.counts[i]);
            return new Times(sums);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Times times && Arrays.equals(counts, times.counts);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(counts);
        }

        @Override
        public String toString() {
            return Arrays.toString(counts);
        }
    }

    /** Counters of one type. */
    static final class Counters {
        final LongAdder handled = new LongAdder();
        final LongAdder retried = new LongAdder();
        final LongAdder setAside = new LongAdder();
        final LongAdder expired = new LongAdder();
        final LongAdder inWork = new LongAdder();
        /** By step; one array, because an adder for each would grow with the cores. */
        private final AtomicLongArray criticalTimes = new AtomicLongArray(Times.STEPS.length);

        /** @param millis less than 0 if two clocks differ, which counts as 0 */
        void handledWithin(long millis) {
            criticalTimes.incrementAndGet(Times.step(millis));
        }

        private Tally tally() {
            long[] times = new long[Times.STEPS.length];
            Arrays.setAll(times, criticalTimes::get);
            return new Tally(
                    handled.sum(), retried.sum(), setAside.sum(), expired.sum(), inWork.sum(), new Times(times));
        }
    }

    Counters of(String type) {
        return types.computeIfAbsent(type, unused -> new Counters());
    }

    /** By type, for types with a handler. */
    public Map<String, Tally> byType() {
        Map<String, Tally> tallies = new TreeMap<>();
        types.forEach((type, counters) -> tallies.put(type, counters.tally()));
        return tallies;
    }
}
