// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ChaosTest {

    private static List<Boolean> decisions(long seed) {
        Chaos chaos = new Chaos(seed);
        return IntStream.range(0, 10_000)
                .mapToObj(visit -> chaos.strikes("here", "order-" + visit % 1_000, 0.1))
                .toList();
    }

    @Test
    void decidesTheSameForTheSameSeed() {
        assertThat(decisions(3)).isEqualTo(decisions(3)).isNotEqualTo(decisions(4));
    }

    @Test
    void strikesAsOftenAsAsked() {
        long strikes = decisions(5).stream().filter(Boolean::booleanValue).count();

        assertThat(strikes).isCloseTo(1_000, Offset.offset(150L));
    }

    /** Or a person who tries again would sometimes succeed. */
    @Test
    void doomsForEver() {
        Chaos chaos = new Chaos(1);
        List<String> doomed = IntStream.range(0, 1_000)
                .mapToObj(number -> "message-" + number)
                .filter(message -> chaos.dooms("here", message, 0.1))
                .toList();

        assertThat(doomed).hasSizeBetween(50, 150).allMatch(message -> chaos.dooms("here", message, 0.1));
    }

    /** Otherwise a handler that failed once would fail for ever. */
    @Test
    void sparesAnOrderThatItStruckBefore() {
        Chaos chaos = new Chaos(1);

        assertThat(IntStream.range(0, 200)
                        .filter(visit -> chaos.strikes("here", "one", 0.5))
                        .count())
                .isBetween(50L, 150L);
    }
}
