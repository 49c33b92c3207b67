// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.time.Timeline;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/** Adapts a {@link Timeline} to {@link java.time.Clock}. Thread-safe. */
public final class VirtualClock extends Clock {

    private final Timeline timeline;
    private final ZoneId zone;

    public VirtualClock(Timeline timeline, ZoneId zone) {
        this.timeline = timeline;
        this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new VirtualClock(timeline, other);
    }

    @Override
    public Instant instant() {
        return timeline.now();
    }
}
