// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.trace;

import io.safebunny.test.harness.Happening;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.AssertProvider;

/** Future work of the application: delayed messages and timeouts of its sagas. For {@code assertThat}. Immutable. */
public final class Upcoming implements AssertProvider<UpcomingAssert> {

    private final Instant now;
    private final Duration waited;
    private final List<Happening> later;

    public Upcoming(Instant now, Duration waited, List<Happening> later) {
        this.now = now;
        this.waited = waited;
        this.later = later;
    }

    /** Total of the library's own delays since the test began. */
    Duration waited() {
        return waited;
    }

    List<Happening> later() {
        return later;
    }

    Duration until(Happening one) {
        return Duration.between(now, one.due());
    }

    @Override
    public UpcomingAssert assertThat() {
        return new UpcomingAssert(this);
    }

    @Override
    public String toString() {
        return later.isEmpty()
                ? "  nothing"
                : later.stream()
                        .map(one -> "  %s in %s, saga %s".formatted(one.type(), Happening.text(until(one)), one.saga()))
                        .collect(Collectors.joining(System.lineSeparator()));
    }
}
