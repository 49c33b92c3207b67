// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The failure rate of the latest messages, as Resilience4j counts it, also where none is ever reached. Guarded by the breaker's lock. */
final class FailureRate {

    private final boolean watched;
    private final CircuitBreaker counted;

    FailureRate(BreakerSettings settings) {
        this.watched = settings.failureRateThreshold() > 0;
        this.counted = CircuitBreaker.of(
                "rate",
                CircuitBreakerConfig.custom()
                        .failureRateThreshold(watched ? settings.failureRateThreshold() : 100)
                        .slidingWindowSize(settings.slidingWindowSize())
                        .minimumNumberOfCalls(settings.minimumNumberOfCalls())
                        .recordResult(Boolean.FALSE::equals)
                        .build());
        onlyCountUnlessWatched();
    }

    private void onlyCountUnlessWatched() {
        if (!watched) {
            counted.transitionToMetricsOnlyState();
        }
    }

    void note(boolean success) {
        counted.onResult(0, TimeUnit.NANOSECONDS, success);
    }

    boolean isReached() {
        return counted.getState() == CircuitBreaker.State.OPEN;
    }

    /** The rate in percent; {@code null} until there have been enough messages. */
    @Nullable
    Float percent() {
        float percent = counted.getMetrics().getFailureRate();
        return percent < 0 ? null : percent;
    }

    void reset() {
        counted.reset();
        onlyCountUnlessWatched();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.1f %% of the latest messages failed", percent());
    }
}
