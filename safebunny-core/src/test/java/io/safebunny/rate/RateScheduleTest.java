// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.rate.RateSchedule.Lease;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which times are given away, to the nanosecond. */
class RateScheduleTest {

    private static final long NOW = Duration.ofDays(20_000).toNanos();
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final long TEN_MINUTES = 10 * MINUTE;
    private static final HandlingRate RATE = new HandlingRate(10, Duration.ofSeconds(10));
    /** 10 s and the tolerance of 100 ms, by ten. */
    private static final long STEP = 1_010_000_000;

    /** 1 % of the window, and 20 ms at least; rounded up, so that no window has one too many. */
    @ParameterizedTest
    @CsvSource({
        "10, 10s, 100000000, 1010000000, 1.0",
        "7, 1s, 20000000, 145714286, 7.0",
        "1, 2s, 20000000, 2020000000, 0.5",
        "1, 3s, 30000000, 3030000000, 0.3333333333333333",
        "400, 60s, 600000000, 151500000, 6.666666666666667",
        "1000, 1s, 20000000, 1020000, 1000.0"
    })
    void aRateIsEvenlySpaced(int messages, String window, long tolerance, long interval, double perSecond) {
        HandlingRate rate = new HandlingRate(messages, Duration.parse("PT" + window));

        assertThat(rate.tolerance()).isEqualTo(tolerance);
        assertThat(rate.interval()).isEqualTo(interval);
        assertThat(rate.perSecond()).isEqualTo(perSecond);
    }

    @Test
    void theFirstTimeIsNow() {
        assertThat(RateSchedule.UNUSED.next(RATE, NOW)).isEqualTo(NOW);
        assertThat(RateSchedule.UNUSED.lease(RATE, NOW, 3, NOW))
                .isEqualTo(new Lease(NOW, 3, STEP, new RateSchedule(NOW + 2 * STEP, NOW, 0)));
    }

    @Test
    void nobodyGetsATimeThatSomebodyHas() {
        RateSchedule used = new RateSchedule(NOW + 2 * STEP, NOW, 0);

        assertThat(used.next(RATE, NOW + 1)).isEqualTo(NOW + 3 * STEP);
        assertThat(used.lease(RATE, NOW + 1, 1, NOW + 3 * STEP))
                .isEqualTo(new Lease(NOW + 3 * STEP, 1, STEP, new RateSchedule(NOW + 3 * STEP, NOW + 1, 0)));
    }

    @Test
    void nothingIsLeasedThatWouldBeginTooLate() {
        RateSchedule used = new RateSchedule(NOW, NOW, 0);

        assertThat(used.lease(RATE, NOW, 1, NOW + STEP)).isNotNull();
        assertThat(used.lease(RATE, NOW, 1, NOW + STEP - 1)).isNull();
    }

    @Test
    void whatWasFreeInThePastIsGone() {
        RateSchedule used = new RateSchedule(NOW, NOW, 0);

        assertThat(used.next(RATE, NOW + STEP - 1)).isEqualTo(NOW + STEP);
        assertThat(used.next(RATE, NOW + 100 * STEP)).isEqualTo(NOW + 100 * STEP);
    }

    @Test
    void nothingBeginsWhileItIsThrottled() {
        RateSchedule throttled = new RateSchedule(NOW, NOW, 0).throttled(NOW + 1, Duration.ofSeconds(20));

        assertThat(throttled).isEqualTo(new RateSchedule(NOW, NOW + 1, NOW + 1 + 20_000_000_000L));
        assertThat(throttled.next(RATE, NOW + 2)).isEqualTo(throttled.quietUntil());
        assertThat(throttled.next(RATE, throttled.quietUntil() + 1)).isEqualTo(throttled.quietUntil() + 1);
    }

    @Test
    void theLongestPauseCountsAndTenMinutesAtMost() {
        RateSchedule throttled = RateSchedule.UNUSED.throttled(NOW, Duration.ofMinutes(5));

        assertThat(throttled.throttled(NOW, Duration.ofMinutes(4)).quietUntil()).isEqualTo(NOW + 5 * MINUTE);
        assertThat(throttled.throttled(NOW, Duration.ofMinutes(10)).quietUntil())
                .isEqualTo(NOW + TEN_MINUTES);
        assertThat(throttled.throttled(NOW, Duration.ofDays(1)).quietUntil()).isEqualTo(NOW + TEN_MINUTES);
    }

    @Test
    void theRateIsHalvedForAMinuteAfterThat() {
        RateSchedule throttled = new RateSchedule(NOW, NOW, NOW + MINUTE);

        assertThat(RateSchedule.UNUSED.isSlow(0)).isFalse();
        assertThat(RateSchedule.UNUSED.step(RATE, 0)).isEqualTo(STEP);
        assertThat(throttled.isSlow(NOW + 2 * MINUTE - 1)).isTrue();
        assertThat(throttled.step(RATE, NOW + 2 * MINUTE - 1)).isEqualTo(2 * STEP);
        assertThat(throttled.isSlow(NOW + 2 * MINUTE)).isFalse();
        assertThat(throttled.step(RATE, NOW + 2 * MINUTE)).isEqualTo(STEP);
    }

    /** A lease has one step, that of its first time; after the last one comes that of the last. */
    @Test
    void aLeaseIsAsSlowAsItsFirstTime() {
        RateSchedule throttled = new RateSchedule(NOW, NOW, NOW + MINUTE);

        assertThat(throttled.lease(RATE, NOW, 100, NOW + MINUTE))
                .isEqualTo(new Lease(
                        NOW + MINUTE,
                        100,
                        2 * STEP,
                        new RateSchedule(NOW + MINUTE + 99 * 2 * STEP, NOW, NOW + MINUTE)));
        RateSchedule slow = new RateSchedule(NOW + 2 * MINUTE - 1, NOW, NOW + MINUTE);
        assertThat(slow.next(RATE, NOW)).isEqualTo(NOW + 2 * MINUTE - 1 + 2 * STEP);
    }
}
