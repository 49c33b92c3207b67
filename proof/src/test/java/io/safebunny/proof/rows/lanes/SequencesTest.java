// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.rows.lanes.Step.Skipping;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SequencesTest {

    private static final List<Step> WANTED = IntStream.range(0, 3)
            .<Step>mapToObj(number -> new Skipping("a", number))
            .toList();

    @Test
    void eachKeyHasItsOwnSequence() {
        assertThat(of(effect("a", 0, -1), effect("b", 0, -1), effect("a", 1, 0), effect("a", 2, 1)))
                .isEqualTo(new Sequences(0, 0, 0, 0, 1)); // nobody wants that of b
    }

    @Test
    void aLaterOneThatComesFirstIsFound() {
        assertThat(of(effect("a", 1, -1), effect("a", 0, 1), effect("a", 2, 0)))
                .isEqualTo(new Sequences(1, 0, 0, 0, 0));
    }

    @Test
    void oneThatBeganBesideTheOneBeforeIsFound() {
        assertThat(of(effect("a", 0, -1), effect("a", 1, -1), effect("a", 2, 1)))
                .isEqualTo(new Sequences(0, 1, 0, 0, 0));
    }

    @Test
    void whatIsRepeatedOrMissingIsFound() {
        assertThat(of(effect("a", 0, null), effect("a", 0, null), effect("a", 2, null)))
                .isEqualTo(new Sequences(0, 0, 1, 1, 0));
    }

    private static Sequences of(Effect... effects) {
        return Sequences.of(List.of(effects), WANTED);
    }

    private static Effect effect(String key, int number, @Nullable Integer preceding) {
        return new Effect("instance-1", key, number, preceding);
    }
}
