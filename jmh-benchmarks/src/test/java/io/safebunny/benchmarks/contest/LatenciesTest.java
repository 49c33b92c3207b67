// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    @Test
    void aPercentileIsTheTimeThatSoManyDidNotExceed() {
        Latencies latencies = Latencies.of(
                LongStream.rangeClosed(1, 200).map(i -> (201 - i) * 1_000_000).toArray());

        assertThat(latencies.millis(0.5)).isEqualTo(100);
        assertThat(latencies.millis(0.99)).isEqualTo(198);
        assertThat(latencies.millis(1)).isEqualTo(200);
        assertThat(latencies.millis(0)).isEqualTo(1);
    }

    @Test
    void ofASingleTimeAllAreThatTime() {
        Latencies latencies = Latencies.of(new long[] {2_500_000});

        assertThat(latencies.millis(0.5)).isEqualTo(2.5);
        assertThat(latencies.millis(0.99)).isEqualTo(2.5);
    }
}
