// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A task that runs again and again, one run at a time. The interval begins when a run has ended, so that a run that takes longer than
 * the interval makes the next one later and nothing else. Without a thread the run is tried again as by {@link SerialTask}.
 * Thread-safe.
 */
public final class RecurringTask {

    private final Duration interval;
    private final Runnable task;
    private final SerialTask runs;

    /**
     * @param name what it does, for the log: "sweeping"
     * @param executor {@code Runnable::run} for a task that does not block: then it runs on the timeline's thread
     */
    public RecurringTask(String name, Duration interval, Runnable task, Executor executor, Timeline timeline) {
        this.interval = interval;
        this.task = task;
        this.runs = new SerialTask(name, this::runAndGoOn, executor, timeline);
    }

    /** The first run is due after one interval. */
    public void start() {
        runs.requestAfter(interval, Purpose.UPKEEP);
    }

    /** No run begins any more. One that is under way goes on to its end. */
    public void stop() {
        runs.stop();
    }

    private void runAndGoOn() {
        try {
            task.run();
        } finally {
            runs.requestAfter(interval, Purpose.UPKEEP);
        }
    }
}
