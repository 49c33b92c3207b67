// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.LogLines;
import io.safebunny.time.Timeline.Purpose;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SerialTaskTest {

    private static final Duration DELAY = Duration.ofMillis(20);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Queue<Runnable> handedOver = new ArrayDeque<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final SerialTask task = task(handedOver::add, runs::incrementAndGet);

    private SerialTask task(Executor executor, Runnable action) {
        return new SerialTask("the test's task", action, executor, timeline);
    }

    private void runHandedOver() {
        for (Runnable next = handedOver.poll(); next != null; next = handedOver.poll()) {
            next.run();
        }
    }

    @Test
    void runsOnceForAllRequestsBeforeTheRun() {
        task.request();
        task.request();

        assertThat(handedOver).hasSize(1);
        runHandedOver();
        assertThat(runs).hasValue(1);
    }

    @Test
    void runsOnceMoreForRequestsDuringTheRun() {
        AtomicInteger depth = new AtomicInteger();
        SerialTask[] own = new SerialTask[1];
        own[0] = task(Runnable::run, () -> {
            assertThat(depth.incrementAndGet()).isOne();
            if (runs.incrementAndGet() == 1) {
                own[0].request();
                own[0].request();
            }
            depth.decrementAndGet();
        });
        own[0].request();

        assertThat(runs).hasValue(2);
    }

    @Test
    void runsAgainForARequestAfterTheRun() {
        task.request();
        runHandedOver();
        task.request();
        runHandedOver();

        assertThat(runs).hasValue(2);
    }

    @Test
    void runsWhenTheDelayIsOver() {
        task.requestAfter(DELAY);

        timeline.advance(DELAY.minusNanos(1));
        assertThat(handedOver).isEmpty();
        timeline.advance(Duration.ofNanos(1));
        assertThat(handedOver).hasSize(1);
    }

    @Test
    void runsOnceForSeveralDelaysWhenTheFirstIsOver() {
        task.requestAfter(DELAY.multipliedBy(2));
        task.requestAfter(DELAY);
        task.requestAfter(DELAY.multipliedBy(3));

        timeline.advance(DELAY);
        runHandedOver();
        assertThat(runs).hasValue(1);
        timeline.advance(SECOND);
        assertThat(handedOver).isEmpty();
    }

    /** Upkeep goes on for ever; somebody who waits for the end of what is under way must not miss that it is more than that. */
    @Test
    void aRunThatIsMoreThanUpkeepIsPlannedAsThat() {
        List<String> planned = new ArrayList<>();
        SerialTask own = new SerialTask(
                "the test's task", runs::incrementAndGet, Runnable::run, new ForwardingTimeline(timeline) {
                    @Override
                    public Cancellable schedule(Purpose purpose, Duration delay, Runnable action) {
                        planned.add(purpose + " in " + delay.toMillis());
                        return super.schedule(purpose, delay, action);
                    }
                });
        own.requestAfter(DELAY, Purpose.UPKEEP);
        own.requestAfter(DELAY.multipliedBy(2), Purpose.PROGRESS);
        own.requestAfter(DELAY.multipliedBy(3), Purpose.UPKEEP);
        own.requestAfter(DELAY.dividedBy(2), Purpose.UPKEEP);
        assertThat(planned).containsExactly("UPKEEP in 20", "PROGRESS in 20", "PROGRESS in 10");
        timeline.advance(SECOND);

        assertThat(runs).hasValue(1);
        own.requestAfter(DELAY, Purpose.UPKEEP);
        assertThat(planned).endsWith("UPKEEP in 20");
    }

    @Test
    void doesNotWaitForTheDelayWhenRequestedAtOnce() {
        task.requestAfter(DELAY);
        task.request();
        runHandedOver();
        timeline.advance(SECOND);

        assertThat(handedOver).isEmpty();
        assertThat(runs).hasValue(1);
    }

    @Test
    void plansTheNextRunDuringARun() {
        SerialTask[] own = new SerialTask[1];
        own[0] = task(handedOver::add, () -> {
            if (runs.incrementAndGet() == 1) {
                own[0].requestAfter(DELAY);
            }
        });
        own[0].request();
        runHandedOver();
        assertThat(handedOver).isEmpty();
        timeline.advance(DELAY);
        runHandedOver();

        assertThat(runs).hasValue(2);
    }

    @Test
    void asksAgainAfterASecondWithoutAThread() {
        AtomicInteger refusals = new AtomicInteger(3);
        SerialTask own = task(refusing(refusals, new OutOfMemoryError("no thread (simulated)")), runs::incrementAndGet);
        own.request();
        timeline.advance(SECOND.multipliedBy(3).minusNanos(1));
        assertThat(runs).hasValue(0);
        timeline.advance(Duration.ofNanos(1));
        assertThat(runs).hasValue(1);
        timeline.advance(SECOND.multipliedBy(10));

        assertThat(runs).hasValue(1);
    }

    @Test
    void asksAtOnceWhenRequestedAgainWithoutAThread() {
        AtomicInteger refusals = new AtomicInteger(1);
        SerialTask own = task(refusing(refusals, new RejectedExecutionException("busy")), runs::incrementAndGet);
        own.request();
        own.request();
        timeline.advance(SECOND.multipliedBy(10));

        assertThat(runs).hasValue(1);
    }

    @Test
    void tellsOnceThatThereIsNoThread() {
        AtomicInteger refusals = new AtomicInteger(5);
        SerialTask own = task(refusing(refusals, new OutOfMemoryError("no thread (simulated)")), runs::incrementAndGet);
        try (LogLines log = new LogLines(SerialTask.class.getName())) {
            own.request();
            timeline.advance(SECOND.multipliedBy(10));

            assertThat(log.texts()).hasSize(1);
        }
    }

    private static Executor refusing(AtomicInteger refusals, Throwable refusal) {
        return action -> {
            if (refusals.getAndDecrement() > 0) {
                if (refusal instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) refusal;
            }
            action.run();
        };
    }

    @Test
    void goesOnAfterTheTaskFailed() {
        SerialTask own = task(Runnable::run, () -> {
            if (runs.incrementAndGet() == 1) {
                throw new StackOverflowError("a bug (simulated)");
            }
        });
        own.request();
        own.request();

        assertThat(runs).hasValue(2);
    }

    /** A store written in another language may throw what its interface does not declare. */
    @Test
    void goesOnAfterACheckedException() {
        SerialTask own = task(Runnable::run, () -> {
            if (runs.incrementAndGet() == 1) {
                throwAnyway(new IOException("of a store (simulated)"));
            }
        });
        own.request();
        own.request();

        assertThat(runs).hasValue(2);
    }

    @SuppressWarnings("unchecked") // the compiler is told that it is unchecked
    private static <X extends Throwable> void throwAnyway(Throwable failure) throws X {
        throw (X) failure;
    }

    @Test
    void beginsNoRunAfterItWasStopped() {
        SerialTask planned = task(handedOver::add, runs::incrementAndGet);
        planned.requestAfter(DELAY);
        planned.stop();
        task.request();
        task.stop();
        task.request();
        task.requestAfter(DELAY);
        timeline.advance(SECOND);
        runHandedOver();

        assertThat(runs).hasValue(0);
    }

    @Test
    void beginsNoFurtherRunWhenStoppedDuringOne() {
        SerialTask[] own = new SerialTask[1];
        own[0] = task(Runnable::run, () -> {
            runs.incrementAndGet();
            own[0].request();
            own[0].stop();
        });
        own[0].request();

        assertThat(runs).hasValue(1);
    }

    /** What was there before a request is taken by a run that ends after it; and no two runs overlap. */
    @Test
    void losesNoRequestOfManyThreads() throws InterruptedException {
        int threads = 4;
        int each = 20_000;
        AtomicLong added = new AtomicLong();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicLong taken = new AtomicLong();
        ExecutorService executor = Executors.newCachedThreadPool();
        SerialTask own = task(executor, () -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            taken.addAndGet(added.getAndSet(0));
            atOnce.decrementAndGet();
        });
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            executor.execute(() -> {
                for (int n = 0; n < each; n++) {
                    added.incrementAndGet();
                    own.request();
                }
                done.countDown();
            });
        }
        done.await();
        executor.shutdown();
        assertThat(executor.awaitTermination(20, TimeUnit.SECONDS)).isTrue();

        assertThat(taken).hasValue((long) threads * each);
        assertThat(most).hasValue(1);
    }
}
