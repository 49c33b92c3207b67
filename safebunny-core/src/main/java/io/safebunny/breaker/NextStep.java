// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Cancellable;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The breaker's next step that is planned for a later time, if any. Runs it under the breaker's lock, which also guards this object. */
final class NextStep {

    private final Timeline timeline;
    private final Object lock;
    private @Nullable Planned planned;

    NextStep(Timeline timeline, Object lock) {
        this.timeline = timeline;
        this.lock = lock;
    }

    /** A step. Runs only if it is still the {@link #planned} one when its time comes. */
    private static final class Planned {

        private @Nullable Cancellable timer;
    }

    /** Replaces the step that was planned before. */
    void plan(Duration in, Runnable step) {
        cancel();
        Planned next = new Planned();
        planned = next;
        next.timer = timeline.schedule(Purpose.APPLICATION, in, () -> {
            synchronized (lock) {
                if (planned == next) {
                    planned = null;
                    step.run();
                }
            }
        });
    }

    void cancel() {
        if (planned != null && planned.timer != null) {
            planned.timer.cancel();
        }
        planned = null;
    }
}
