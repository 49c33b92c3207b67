// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;

/** Simulates a machine whose wall clock is changed while it runs; the monotonic clock is not affected. Thread-safe. */
public final class JumpingTimeline extends ForwardingTimeline {

    private volatile Duration offset = Duration.ZERO;

    public JumpingTimeline(Timeline timeline) {
        super(timeline);
    }

    /** @param by how far it is ahead of the true time from now on; negative if it is behind */
    public void jump(Duration by) {
        offset = by;
    }

    @Override
    public Instant now() {
        return super.now().plus(offset);
    }
}
