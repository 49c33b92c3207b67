// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.Arrays;

/** Times that were measured, by percentile. Immutable. */
public final class Latencies {

    private static final double NANOS_PER_MILLI = 1e6;

    private final long[] sorted;

    private Latencies(long[] sorted) {
        this.sorted = sorted;
    }

    /** @param nanos at least one, in any order */
    public static Latencies of(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Latencies(sorted);
    }

    /**
     * The smallest time that at least this part of all did not exceed, in milliseconds.
     *
     * @param part from 0 to 1
     */
    public double millis(double part) {
        int index = (int) Math.ceil(part * sorted.length) - 1;
        return sorted[Math.max(index, 0)] / NANOS_PER_MILLI;
    }
}
