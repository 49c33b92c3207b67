// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BinsTest {

    private static final long BEGIN = 7_000_000_000L;
    private static final long MILLI = 1_000_000;

    private final Bins bins = new Bins(BEGIN);

    @Test
    void eachBinHasWhatEndedInIt() {
        bins.add(BEGIN + 99 * MILLI, 4 * MILLI);
        bins.add(BEGIN + 10 * MILLI, 2 * MILLI);
        bins.add(BEGIN + 100 * MILLI, 30 * MILLI);

        assertThat(bins.list()).containsExactly(new Bin(2, 2, 4, 4), new Bin(1, 30, 30, 30));
    }

    @Test
    void stallsAreEmptyBins() {
        bins.add(BEGIN + 350 * MILLI, 300 * MILLI);

        assertThat(bins.list()).hasSize(4).startsWith(new Bin(0, 0, 0, 0)).endsWith(new Bin(1, 300, 300, 300));
    }

    @Test
    void percentilesOfAll() {
        bins.add(BEGIN, MILLI);
        bins.add(BEGIN + 500 * MILLI, 3 * MILLI);

        assertThat(bins.latencies().millis(1)).isEqualTo(3);
    }
}
