// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class RecurringTaskTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Queue<Runnable> handedOver = new ArrayDeque<>();
    private final List<Duration> runs = new ArrayList<>();

    @Test
    void runsAfterEachInterval() {
        RecurringTask task =
                new RecurringTask("task", INTERVAL, () -> runs.add(timeline.elapsed()), Runnable::run, timeline);
        task.start();
        timeline.advance(INTERVAL.multipliedBy(3));

        assertThat(runs).containsExactly(INTERVAL, INTERVAL.multipliedBy(2), INTERVAL.multipliedBy(3));
    }

    @Test
    void countsTheIntervalFromTheEndOfARun() {
        RecurringTask task = new RecurringTask(
                "task", INTERVAL, () -> timeline.advance(Duration.ofSeconds(3)), handedOver::add, timeline);
        task.start();
        timeline.advance(INTERVAL.multipliedBy(5));
        assertThat(handedOver).hasSize(1);
        handedOver.remove().run();
        timeline.advance(INTERVAL.minusNanos(1));
        assertThat(handedOver).isEmpty();
        timeline.advance(Duration.ofNanos(1));

        assertThat(handedOver).hasSize(1);
    }

    @Test
    void goesOnAfterARunFailed() {
        RecurringTask task = new RecurringTask(
                "task",
                INTERVAL,
                () -> {
                    runs.add(timeline.elapsed());
                    throw new IllegalStateException("a bug (simulated)");
                },
                Runnable::run,
                timeline);
        task.start();
        timeline.advance(INTERVAL.multipliedBy(2));

        assertThat(runs).hasSize(2);
    }

    @Test
    void endsWhenStopped() {
        RecurringTask task =
                new RecurringTask("task", INTERVAL, () -> runs.add(timeline.elapsed()), Runnable::run, timeline);
        task.start();
        timeline.advance(INTERVAL);
        task.stop();
        timeline.advance(INTERVAL.multipliedBy(5));

        assertThat(runs).hasSize(1);
    }
}
