// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A recurring task, one run at a time. The interval starts when a run ends, so a slow run only delays the next one. If there is
 * no thread, the run is retried as in {@link SerialTask}. Thread-safe.
 */
public final class RecurringTask {

    private final Duration interval;
    private final Runnable task;
    private final SerialTask runs;

    /**
     * @param name what it does, for the log, such as "sweeping"
     * @param executor {@code Runnable::run} if the task does not block; it then runs on the timeline's thread
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

    /** Starts no further runs; a run in progress completes. */
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
