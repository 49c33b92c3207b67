// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeterministicSchedulerTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<String> done = new ArrayList<>();
    private DeterministicScheduler scheduler = new DeterministicScheduler(Choices.IN_ORDER);
    private SimulatedProcess billing = scheduler.process("billing");
    private SimulatedProcess shipping = scheduler.process("shipping");

    @AfterEach
    void close() {
        scheduler.close();
    }

    @Test
    void runsNothingBeforeItIsTold() {
        billing.executor().execute(() -> done.add("charged"));

        assertThat(done).isEmpty();
        scheduler.runUntilIdle();
        assertThat(done).containsExactly("charged");
    }

    @Test
    void othersGoOnWhileATaskWaits() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        billing.executor().execute(() -> done.add(get(billing, answer)));
        shipping.executor().execute(() -> {
            done.add("shipped");
            answer.complete("answered");
        });

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("shipped", "answered");
        assertThat(scheduler.elapsed()).isZero();
    }

    @Test
    void timePassesOnlyWhenNothingElseCanHappen() {
        billing.executor().execute(() -> {
            sleep(billing, MINUTE);
            done.add("later");
        });
        shipping.timeline().schedule(MINUTE.dividedBy(2), () -> {
            done.add("timer");
            shipping.executor().execute(() -> done.add("at once"));
        });

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("timer", "at once", "later");
        assertThat(scheduler.elapsed()).isEqualTo(MINUTE);
    }

    @Test
    void whatTheApplicationWantsLaterIsLeftUntilTimeIsLetPass() {
        billing.timeline().schedule(Purpose.APPLICATION, MINUTE, () -> done.add("timeout"));

        scheduler.runUntilIdle();
        assertThat(done).isEmpty();
        assertThat(scheduler.nextApplicationTimer()).isEqualTo(MINUTE);

        scheduler.advance(MINUTE.minusMillis(1));
        assertThat(done).isEmpty();
        scheduler.advance(Duration.ofMillis(1));
        assertThat(done).containsExactly("timeout");
        assertThat(scheduler.nextApplicationTimer()).isNull();
    }

    @Test
    void upkeepGoesOnWhileSomethingIsWaitedForAndIsNotWaitedForItself() {
        everyMinute(billing);
        shipping.executor().execute(() -> sleep(shipping, MINUTE.multipliedBy(2).plusSeconds(1)));

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("upkeep", "upkeep");
    }

    @Test
    void upkeepWithoutEffectIsSkippedAndDoneOnceMoreAtTheEnd() {
        everyMinute(billing);
        billing.timeline().schedule(Purpose.APPLICATION, Duration.ofDays(3).plusSeconds(1), () -> done.add("timeout"));

        scheduler.advance(Duration.ofDays(7));

        assertThat(done).hasSizeLessThan(20).contains("timeout").last().isEqualTo("upkeep");
        assertThat(scheduler.elapsed()).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void upkeepIsDoneAgainOnceSomethingHasHappened() {
        everyMinute(billing);
        billing.timeline().schedule(Purpose.APPLICATION, Duration.ofDays(3), () -> done.add("timeout"));

        scheduler.advance(Duration.ofDays(3).plus(MINUTE.multipliedBy(3)));

        assertThat(done.subList(done.indexOf("timeout"), done.size())).contains("upkeep");
    }

    @Test
    void aWaitEndsWithItsTimeout() {
        billing.executor().execute(() -> {
            try {
                billing.timeline().await(new CompletableFuture<>(), MINUTE);
            } catch (TimeoutException e) {
                done.add("gave up");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("gave up");
        assertThat(scheduler.elapsed()).isEqualTo(MINUTE);
    }

    @Test
    void nothingOfAProcessGoesOnAfterItsEnd() {
        billing.executor().execute(() -> {
            try {
                sleep(billing, MINUTE);
                done.add("slept");
            } finally {
                done.add("unwound");
            }
        });
        billing.timeline().schedule(Duration.ofSeconds(10), () -> done.add("timer"));
        shipping.timeline().schedule(Duration.ofSeconds(5), () -> billing.end());

        scheduler.runUntilIdle();

        assertThat(done).isEmpty();
        assertThatThrownBy(() -> billing.executor().execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        scheduler.close();
        assertThat(done).containsExactly("unwound");
    }

    @Test
    void aTaskThatEndsItsProcessDoesNotGoOn() {
        billing.executor().execute(() -> {
            try {
                billing.end();
                done.add("went on");
            } finally {
                done.add("unwound");
            }
        });
        shipping.executor().execute(() -> done.add("shipped"));

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("shipped");
    }

    @Test
    void anInterruptedTaskKeepsItsStackAndGoesOn() {
        begin(new Choices() {
            @Override
            public int next(int ready) {
                return 0;
            }

            @Override
            public boolean preempts(SimulatedProcess process, String point) {
                return point.equals("before writing");
            }
        });
        billing.executor().execute(() -> {
            done.add("read");
            billing.point("before writing");
            done.add("written");
        });
        shipping.executor().execute(() -> done.add("shipped"));

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("read", "shipped", "written");
    }

    @Test
    void theSameChoicesMakeTheSameRun() {
        List<String> first = chaos(7);

        assertThat(chaos(7)).isEqualTo(first);
        assertThat(chaos(8)).isNotEqualTo(first);
    }

    @Test
    void nothingOfAPausedProcessGoesOn() {
        billing.executor().execute(() -> {
            billing.pause(MINUTE);
            done.add("charged");
        });
        billing.timeline().schedule(MINUTE.dividedBy(2), () -> done.add("timer"));
        shipping.executor().execute(() -> billing.executor().execute(() -> done.add("began")));
        shipping.timeline().schedule(MINUTE.minusMillis(1), () -> done.add("shipped"));

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("shipped", "charged", "began", "timer");
        assertThat(scheduler.elapsed()).isEqualTo(MINUTE);
    }

    @Test
    void timersAreNotInterrupted() {
        billing.timeline().schedule(MINUTE, () -> {
            done.add("timer");
            shipping.executor().execute(() -> done.add("shipped"));
            assertThat(billing.canBeInterrupted()).isFalse();
            billing.interrupt("halfway");
            done.add("timer ends");
        });

        scheduler.runUntilIdle();

        assertThat(done).containsExactly("timer", "timer ends", "shipped");
    }

    @Test
    void clocksOfProcessesMayDiffer() {
        billing.skew(MINUTE);

        assertThat(Duration.between(
                        shipping.timeline().now(), billing.timeline().now()))
                .isEqualTo(MINUTE);
        assertThat(billing.timeline().nanoTime()).isEqualTo(shipping.timeline().nanoTime());
    }

    @Test
    void whoWaitsFromOutsideLetsTheOthersRun() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        billing.executor().execute(() -> answer.complete("answered"));

        assertThat(billing.timeline().await(answer, MINUTE)).isEqualTo("answered");
        assertThat(scheduler.elapsed()).isZero();
    }

    @Test
    void whatATaskThrowsIsTold() {
        billing.executor().execute(() -> {
            throw new IllegalArgumentException("broken");
        });

        assertThatThrownBy(() -> scheduler.runUntilIdle())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("broken");
    }

    @Test
    void aRunThatNeverEndsSaysWhatGoesOn() {
        again(billing);
        shipping.executor().execute(() -> sleep(shipping, MINUTE));

        assertThatThrownBy(() -> scheduler.runUntilIdle())
                .isInstanceOf(StandstillException.class)
                .hasMessageContaining("ready: billing")
                .hasMessageContaining("waiting: shipping")
                .hasMessageContaining("DeterministicSchedulerTest");
        billing.end();
    }

    private static void again(SimulatedProcess process) {
        process.executor().execute(() -> again(process));
    }

    private List<String> chaos(long seed) {
        close();
        done.clear();
        Random random = new Random(seed);
        begin(new Choices() {
            @Override
            public int next(int ready) {
                return random.nextInt(ready);
            }

            @Override
            public boolean preempts(SimulatedProcess process, String point) {
                return random.nextBoolean();
            }
        });
        for (SimulatedProcess process : List.of(billing, shipping)) {
            for (int task = 0; task < 10; task++) {
                String name = process + " " + task;
                process.executor().execute(() -> {
                    done.add(name + " begins");
                    process.point("halfway");
                    sleep(
                            process,
                            Duration.ofSeconds(process.timeline().random().nextInt(3)));
                    done.add(name + " ends");
                });
            }
        }
        scheduler.runUntilIdle();
        return List.copyOf(done);
    }

    private void begin(Choices choices) {
        scheduler = new DeterministicScheduler(choices);
        billing = scheduler.process("billing");
        shipping = scheduler.process("shipping");
    }

    private void everyMinute(SimulatedProcess process) {
        process.timeline().schedule(Purpose.UPKEEP, MINUTE, () -> {
            done.add("upkeep");
            everyMinute(process);
        });
    }

    private static void sleep(SimulatedProcess process, Duration duration) {
        try {
            process.timeline().sleep(duration);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T get(SimulatedProcess process, CompletableFuture<T> future) {
        try {
            return process.timeline().await(future, MINUTE);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
