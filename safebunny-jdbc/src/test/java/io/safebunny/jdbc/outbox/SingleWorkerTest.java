// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.time.VirtualTimeline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SingleWorkerTest {

    private final AtomicInteger runs = new AtomicInteger();
    private final VirtualTimeline timeline = new VirtualTimeline();

    @Test
    void goesOnAfterThereWasNoThread() {
        AtomicInteger refusals = new AtomicInteger(1);
        SingleWorker worker = new SingleWorker(
                task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("no thread (simulated)");
                    }
                    task.run();
                },
                timeline,
                runs::incrementAndGet);
        worker.ask();
        worker.ask();

        assertThat(runs).hasValue(1);
    }

    @Test
    void asksAgainByItselfWhenThereWasNoThread() {
        AtomicInteger refusals = new AtomicInteger(3);
        SingleWorker worker = new SingleWorker(
                task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("no thread (simulated)");
                    }
                    task.run();
                },
                timeline,
                runs::incrementAndGet);
        worker.ask();
        timeline.advance(Duration.ofSeconds(10));

        assertThat(runs).hasValue(1);
        assertThat(timeline.pending()).isZero();
    }

    @Test
    void goesOnAfterItsWorkFailed() {
        SingleWorker worker = new SingleWorker(Runnable::run, timeline, () -> {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("a bug (simulated)");
            }
        });
        worker.ask();
        worker.ask();

        assertThat(runs).hasValue(2);
    }
}
