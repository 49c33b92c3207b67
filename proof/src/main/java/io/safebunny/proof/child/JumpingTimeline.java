// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;

/** Simulates a machine whose wall clock is changed while it runs; the monotonic clock is not affected. Thread-safe. */
final class JumpingTimeline extends ForwardingTimeline {

    private volatile Duration offset = Duration.ZERO;

    JumpingTimeline(Timeline timeline) {
        super(timeline);
    }

    void jump(Duration by) {
        offset = by;
    }

    @Override
    public Instant now() {
        return super.now().plus(offset);
    }
}
