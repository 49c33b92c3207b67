// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryStrategyTest {

    @Test
    void doublesUpToTheLongestInterval() {
        assertThat(RetryStrategy.exponential(5, ofMillis(100), 2, ofMillis(500)).delays())
                .containsExactly(ofMillis(100), ofMillis(200), ofMillis(400), ofMillis(500), ofMillis(500));
    }

    @Test
    void takesFractionalMultipliers() {
        assertThat(RetryStrategy.exponential(3, ofMillis(100), 1.5, ofSeconds(1))
                        .delays())
                .containsExactly(ofMillis(100), ofMillis(150), ofMillis(225));
    }

    @Test
    void isNeverLongerThanTheLongestIntervalFromTheStart() {
        assertThat(RetryStrategy.exponential(2, ofSeconds(5), 2, ofSeconds(1)).delays())
                .containsExactly(ofSeconds(1), ofSeconds(1));
    }

    @Test
    void doesNotOverflow() {
        assertThat(RetryStrategy.exponential(200, ofSeconds(1), 10, Duration.ofDays(1))
                        .delays())
                .hasSize(200)
                .endsWith(Duration.ofDays(1));
    }

    @Test
    void repeatsAFixedDelay() {
        assertThat(RetryStrategy.of(3, ofMillis(7)).delays()).containsExactly(ofMillis(7), ofMillis(7), ofMillis(7));
    }

    @Test
    void hasNoRetriesWhenThereAreNone() {
        assertThat(RetryStrategy.none().maxRetries()).isZero();
        assertThat(RetryStrategy.exponential(0, ofMillis(1), 2, ofMillis(1))).isEqualTo(RetryStrategy.none());
    }

    @ParameterizedTest
    @CsvSource({"0.0, 75", "0.5, 100", "1.0, 125", "0.25, 87.5"})
    void movesADelayWithinItsJitter(double random, double millis) {
        RetryStrategy strategy = RetryStrategy.after(ofMillis(100)).withJitter(0.25);

        assertThat(strategy.delay(0, random)).isEqualTo(Duration.ofNanos((long) (millis * 1_000_000)));
    }

    @Test
    void isNeverNegativeWithFullJitter() {
        RetryStrategy strategy = RetryStrategy.after(ofMillis(100)).withJitter(1);

        assertThat(strategy.delay(0, 0)).isZero();
        assertThat(strategy.delay(0, 1)).isEqualTo(ofMillis(200));
    }

    @Test
    void isExactWithoutJitter() {
        assertThat(RetryStrategy.after(ofMillis(100)).delay(0, 0.9)).isEqualTo(ofMillis(100));
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> RetryStrategy.after(ofMillis(-1)));
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> RetryStrategy.none().withJitter(1.1));
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> RetryStrategy.none().withJitter(-0.1));
    }

    @ParameterizedTest
    @CsvSource({"-1,100ms,1,1s,0", "1,-1ms,1,1s,0", "1,1ms,0.9,1s,0", "1,1ms,1,-1s,0", "1,1ms,1,1s,2"})
    void refusesSettingsThatMakeNoSense(int retries, String initial, double multiplier, String max, double jitter) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new RetrySettings(retries, duration(initial), multiplier, duration(max), jitter))
                .withMessageContaining("max-retries")
                .withMessageContaining("multiplier");
    }

    private static Duration duration(String text) {
        return text.endsWith("ms")
                ? ofMillis(Long.parseLong(text.replace("ms", "")))
                : ofSeconds(Long.parseLong(text.replace("s", "")));
    }

    @Test
    void becomesAStrategyOfItsSettings() {
        assertThat(new RetrySettings(2, ofMillis(10), 3, ofSeconds(1), 0.1).toStrategy())
                .isEqualTo(RetryStrategy.after(ofMillis(10), ofMillis(30)).withJitter(0.1));
    }
}
