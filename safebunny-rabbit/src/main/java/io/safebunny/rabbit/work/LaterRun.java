// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task once, a second after it was requested, however often it is requested in the meantime. Thread-safe. */
public final class LaterRun {

    public static final Duration DELAY = Duration.ofSeconds(1);

    private final Runnable task;
    private final Timeline timeline;
    private final AtomicBoolean planned = new AtomicBoolean();

    public LaterRun(Runnable task, Timeline timeline) {
        this.task = task;
        this.timeline = timeline;
    }

    /** @return false if a run is planned already */
    public boolean plan() {
        if (!planned.compareAndSet(false, true)) {
            return false;
        }
        timeline.schedule(DELAY, () -> {
            planned.set(false);
            task.run();
        });
        return true;
    }
}
