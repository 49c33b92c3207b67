// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.autoconfigure.actuate.Rates.Counted;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.MessageMeters;
import io.safebunny.observation.Metrics;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class RatesTest {

    private static final String TYPE = "Order";

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Metrics metrics = new Metrics(new SimpleMeterRegistry());
    private final MessageMeters order = metrics.consumed(TYPE, timeline);
    private final Rates rates = new Rates(() -> metrics.tallies().byType(), timeline);

    private static Map<String, Object> rates(double handled, double retried, double setAside, long seconds) {
        return rates(handled, retried, setAside, 0, seconds);
    }

    private static Map<String, Object> rates(
            double handled, double retried, double setAside, double expired, long seconds) {
        return Map.of(
                "handled", handled, "retried", retried, "setAside", setAside, "expired", expired, "seconds", seconds);
    }

    private void handled(int messages) {
        for (int i = 0; i < messages; i++) {
            order.completed(0);
        }
    }

    private void handledAfter(Duration time, int messages) {
        for (int i = 0; i < messages; i++) {
            order.completed(timeline.now().minus(time).toEpochMilli());
        }
    }

    private void failed(String type, int retried, int setAside) {
        for (int i = 0; i < retried; i++) {
            metrics.retriedInMemory(type);
        }
        for (int i = 0; i < setAside; i++) {
            metrics.poisoned(type, PoisonReason.HANDLER_FAILED);
        }
    }

    private Map<String, Object> now() {
        return rates.counted().rates();
    }

    @Test
    void whatHasExpiredIsCountedWhateverBecameOfIt() {
        metrics.expired(TYPE, true);
        metrics.expired(TYPE, false);
        metrics.poisoned(TYPE, PoisonReason.EXPIRED);
        metrics.poisoned(TYPE, PoisonReason.HANDLER_FAILED);
        timeline.advance(Duration.ofSeconds(10));

        assertThat(now()).isEqualTo(rates(0, 0, 0.2, 0.3, 10L));
    }

    @Test
    void theFirstLookIsAnAverageSinceTheStart() {
        handled(300);
        failed(TYPE, 20, 10);
        timeline.advance(Duration.ofSeconds(100));

        assertThat(now()).isEqualTo(rates(3.0, 0.2, 0.1, 100L));
    }

    @Test
    void laterLooksGoBackAMinute() {
        for (int i = 1; i <= 200; i++) {
            handled(i <= 140 ? 0 : 5);
            timeline.advance(Duration.ofSeconds(1));
            now();
        }

        assertThat(now()).isEqualTo(rates(5.0, 0.0, 0.0, 60L));
    }

    /** Neither what was last night, nor an average of that and of now. */
    @Test
    void aLookAfterALongTimeCountsAnew() {
        timeline.advance(Duration.ofSeconds(100));
        now();
        handledAfter(Duration.ofMillis(30), 600);
        timeline.advance(Duration.ofHours(8));

        Counted anew = rates.counted();
        assertThat(anew.rates().values()).hasSize(5).containsOnlyNulls();
        assertThat(anew.criticalMillis(TYPE).values()).hasSize(2).containsOnlyNulls();
        handledAfter(Duration.ofMillis(3), 10);
        timeline.advance(Duration.ofSeconds(2));
        assertThat(now()).isEqualTo(rates(5.0, 0.0, 0.0, 2L));
        assertThat(rates.counted().criticalMillis(TYPE)).isEqualTo(Map.of("p50", 5L, "p95", 5L));
    }

    @Test
    void aLookAfterAMinuteAndAHalfGoesBackToTheOneBefore() {
        now();
        handled(90);
        timeline.advance(Duration.ofSeconds(90));

        assertThat(now()).isEqualTo(rates(1.0, 0.0, 0.0, 90L));
    }

    @Test
    void tooShortATimeSaysNothing() {
        handledAfter(Duration.ofMillis(3), 5);

        assertThat(now().values()).containsOnlyNulls();
        assertThat(rates.counted().criticalMillis(TYPE).values()).containsOnlyNulls();
    }

    @Test
    void eachTypeHasItsOwnAndAllOfThemTheSum() {
        metrics.consumed("Pay", timeline).completed(0);
        handled(20);
        failed("Pay", 40, 10);
        timeline.advance(Duration.ofSeconds(10));

        Counted counted = rates.counted();
        assertThat(counted.rates(TYPE)).isEqualTo(rates(2.0, 0.0, 0.0, 10L));
        assertThat(counted.rates("Pay")).isEqualTo(rates(0.1, 4.0, 1.0, 10L));
        order.begun(3);
        assertThat(rates.counted().inWork(TYPE)).isEqualTo(3);
        assertThat(rates.counted().inWork("Pay")).isZero();
        assertThat(counted.rates("Nobody")).isEqualTo(rates(0.0, 0.0, 0.0, 10L));
        assertThat(counted.rates()).isEqualTo(rates(2.1, 4.0, 1.0, 10L));
    }

    /** A backlog that was handled an hour ago is not slow now. */
    @Test
    void criticalTimesAreThoseOfTheLastMinute() {
        handledAfter(Duration.ofHours(1), 1_000);
        for (int i = 0; i < 30; i++) {
            timeline.advance(Duration.ofSeconds(5));
            now();
        }
        assertThat(rates.counted().criticalMillis(TYPE).values()).hasSize(2).containsOnlyNulls();
        handledAfter(Duration.ofMillis(15), 18);
        handledAfter(Duration.ofMillis(150), 2);

        assertThat(rates.counted().criticalMillis(TYPE)).isEqualTo(Map.of("p50", 20L, "p95", 200L));
    }
}
