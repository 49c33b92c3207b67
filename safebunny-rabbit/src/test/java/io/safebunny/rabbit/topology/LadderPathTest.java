// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LadderPathTest {

    private static final long YEAR = Duration.ofDays(365).toMillis();

    private static long sum(List<Integer> rungs) {
        return rungs.stream().mapToLong(rung -> 1L << rung).sum();
    }

    private static void assertNeverEarlyAndHardlyLate(long millis) {
        long waits = sum(LadderPath.rungs(Duration.ofMillis(millis)));
        assertThat(waits).as("%d ms", millis).isBetween(millis, millis + LadderPath.resolution(millis));
    }

    @Test
    void roundsEveryDelayUpByLessThanItsResolution() {
        for (long millis = 1; millis <= 70_000; millis++) {
            assertNeverEarlyAndHardlyLate(millis);
        }
        Random random = new Random(42);
        for (int i = 0; i < 100_000; i++) {
            assertNeverEarlyAndHardlyLate(1 + (long) (random.nextDouble() * (YEAR - 1)));
        }
        assertNeverEarlyAndHardlyLate(YEAR);
    }

    @Test
    void roundsNanosecondsUp() {
        assertThat(sum(LadderPath.rungs(Duration.ofMillis(16).plusNanos(1)))).isEqualTo(32);
        assertThat(sum(LadderPath.rungs(Duration.ofNanos(1)))).isEqualTo(16);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000})
    void visitsEachRungAtMostOnceTheLongestFirst(long millis) {
        List<Integer> rungs = LadderPath.rungs(Duration.ofMillis(millis));

        assertThat(rungs).doesNotHaveDuplicates().isSortedAccordingTo((a, b) -> b - a);
        assertThat(rungs).allMatch(rung -> rung >= 4 && rung <= 34);
    }
}
