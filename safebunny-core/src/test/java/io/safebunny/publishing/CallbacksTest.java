// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.observation.BoundedLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallbacksTest {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final List<Integer> called = new ArrayList<>();
    private final Callbacks callbacks = new Callbacks(threads::add, timeline, log);

    @Test
    void oneThreadRunsABurstInItsOrder() {
        IntStream.range(0, 1_000).forEach(number -> callbacks.execute(() -> called.add(number)));
        assertThat(threads).hasSize(1);
        threads.remove().run();

        assertThat(called)
                .containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
    }

    @Test
    void whatComesAfterABurstGetsAThread() {
        callbacks.execute(() -> called.add(1));
        threads.remove().run();
        callbacks.execute(() -> called.add(2));
        threads.remove().run();

        assertThat(called).containsExactly(1, 2);
    }

    @Test
    void anotherThreadGoesOnWhileOneTaskTakesLong() {
        callbacks.execute(() -> {
            timeline.advance(Callbacks.LONG);
            threads.remove().run();
            assertThat(called).containsExactly(2, 3);
            called.add(1);
        });
        callbacks.execute(() -> called.add(2));
        callbacks.execute(() -> called.add(3));
        threads.remove().run();

        assertThat(called).containsExactly(2, 3, 1);
        assertThat(threads).isEmpty();
    }

    @Test
    void whatComesDuringALongTaskIsNotForgotten() {
        callbacks.execute(() -> {
            callbacks.execute(() -> called.add(2));
            timeline.advance(Callbacks.LONG);
            threads.remove().run();
            called.add(1);
        });
        threads.remove().run();

        assertThat(called).containsExactly(2, 1);
    }

    @Test
    void helpersThatTakeLongTooGetHelp() {
        callbacks.execute(this::takeLong);
        callbacks.execute(this::takeLong);
        callbacks.execute(() -> called.add(1));
        threads.remove().run();

        assertThat(called).containsExactly(1);
    }

    private void takeLong() {
        timeline.advance(Callbacks.LONG);
        threads.remove().run();
    }

    @Test
    void noHelpIsCalledWhileNobodyWaitsLong() {
        for (int i = 0; i < 10; i++) {
            callbacks.execute(() -> {
                timeline.advance(Callbacks.LONG.minusMillis(1));
                callbacks.execute(() -> called.add(1));
            });
            threads.remove().run();
        }

        assertThat(threads).isEmpty();
    }

    /** However short each of them is: that they wait shows that one thread is not enough. */
    @Test
    void helpersComeOneByOneAsLongAsTasksWait() {
        for (int i = 0; i < 100; i++) {
            callbacks.execute(() -> timeline.advance(Callbacks.LONG.dividedBy(2)));
        }
        threads.remove().run();

        assertThat(threads).hasSizeGreaterThan(40);
    }

    @Test
    void aThreadThatCannotBeStartedNowIsStartedLater() {
        AtomicInteger refusals = new AtomicInteger(1);
        Callbacks poor = new Callbacks(
                task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("no thread (simulated)");
                    }
                    threads.add(task);
                },
                timeline,
                log);
        poor.execute(() -> called.add(1));
        timeline.advance(Callbacks.LONG);
        threads.remove().run();

        assertThat(called).containsExactly(1);
    }

    @Test
    void anInterruptIsNotThatOfTheNextTask() {
        callbacks.execute(() -> Thread.currentThread().interrupt());
        callbacks.execute(() -> called.add(Thread.currentThread().isInterrupted() ? -1 : 1));
        threads.remove().run();

        assertThat(called).containsExactly(1);
    }

    @Test
    void theOthersAreCalledAfterAFailure() {
        callbacks.execute(() -> {
            throw new IllegalStateException("a bug");
        });
        callbacks.execute(() -> called.add(1));
        threads.remove().run();

        assertThat(called).containsExactly(1);
    }

    private Callbacks afterShutdown() {
        return new Callbacks(
                task -> {
                    throw new RejectedExecutionException("shut down");
                },
                timeline,
                log);
    }

    @Test
    void atShutdownTheCallerStaysInterrupted() {
        Callbacks late = afterShutdown();
        Thread.currentThread().interrupt();
        late.execute(() -> called.add(Thread.currentThread().isInterrupted() ? -1 : 1));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(called).containsExactly(1);
    }

    @Test
    void atShutdownTheyAreCalledAllTheSame() {
        Callbacks late = afterShutdown();
        late.execute(() -> called.add(1));

        assertThat(called).containsExactly(1);
    }
}
