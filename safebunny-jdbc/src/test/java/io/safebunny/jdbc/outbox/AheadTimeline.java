// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;

/** A clock that is ahead of the database's. Thread-safe. */
final class AheadTimeline extends ForwardingTimeline {

    private volatile Duration lead = Duration.ZERO;

    AheadTimeline(Timeline clock) {
        super(clock);
    }

    void lead(Duration other) {
        lead = other;
    }

    @Override
    public Duration lead() {
        return lead;
    }

    @Override
    public Instant now() {
        return super.now().plus(lead);
    }
}
