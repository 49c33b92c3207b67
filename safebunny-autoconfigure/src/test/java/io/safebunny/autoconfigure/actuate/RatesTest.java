// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.observation.Tallies.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatesTest {

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final List<Tally> tallies = new ArrayList<>();
    private final Rates rates = new Rates(() -> tallies, timeline);

    private static Map<String, Object> rates(double handled, double retried, double setAside, long seconds) {
        return Map.of("handled", handled, "retried", retried, "setAside", setAside, "seconds", seconds);
    }

    @Test
    void theFirstLookIsAnAverageSinceTheStart() {
        tallies.add(new Tally(300, 20, 10));
        timeline.advance(Duration.ofSeconds(100));

        assertThat(rates.now()).isEqualTo(rates(3.0, 0.2, 0.1, 100L));
    }

    @Test
    void laterLooksGoBackAMinute() {
        for (int i = 1; i <= 200; i++) {
            tallies.add(new Tally(i <= 140 ? 0 : 5, 0, 0));
            timeline.advance(Duration.ofSeconds(1));
            rates.now();
        }

        assertThat(rates.now()).isEqualTo(rates(5.0, 0.0, 0.0, 60L));
    }

    /** Neither what was last night, nor an average of that and of now. */
    @Test
    void aLookAfterALongTimeCountsAnew() {
        timeline.advance(Duration.ofSeconds(100));
        rates.now();
        tallies.add(new Tally(600, 0, 0));
        timeline.advance(Duration.ofHours(8));

        assertThat(rates.now().values()).hasSize(4).containsOnlyNulls();
        tallies.add(new Tally(10, 0, 0));
        timeline.advance(Duration.ofSeconds(2));
        assertThat(rates.now()).isEqualTo(rates(5.0, 0.0, 0.0, 2L));
    }

    @Test
    void aLookAfterAMinuteAndAHalfGoesBackToTheOneBefore() {
        rates.now();
        tallies.add(new Tally(90, 0, 0));
        timeline.advance(Duration.ofSeconds(90));

        assertThat(rates.now()).isEqualTo(rates(1.0, 0.0, 0.0, 90L));
    }

    @Test
    void tooShortATimeSaysNothing() {
        tallies.add(new Tally(5, 0, 0));

        assertThat(rates.now().values()).containsOnlyNulls();
    }
}
