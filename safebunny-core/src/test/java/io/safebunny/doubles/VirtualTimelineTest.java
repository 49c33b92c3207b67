// SPDX-License-Identifier: Apache-2.0
package io.safebunny.doubles;

import static java.util.concurrent.CompletableFuture.runAsync;
import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.safebunny.time.Timeline.Cancellable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class VirtualTimelineTest {

    private final VirtualTimeline timeline = new VirtualTimeline(Instant.EPOCH);
    private final List<String> ran = new ArrayList<>();

    @Test
    void movesBothClocks() {
        timeline.advance(Duration.ofMillis(1_500));

        assertThat(timeline.now()).isEqualTo(Instant.ofEpochMilli(1_500));
        assertThat(timeline.nanoTime()).isEqualTo(1_500_000_000L);
    }

    @Test
    void runsWhatIsDueInOrderAtItsOwnTime() {
        schedule(20, "second");
        schedule(10, "first");
        schedule(20, "third");
        schedule(31, "later");

        timeline.advance(Duration.ofMillis(30));

        assertThat(ran).containsExactly("first@10", "second@20", "third@20");
        assertThat(timeline.now()).isEqualTo(Instant.ofEpochMilli(30));
        assertThat(timeline.pending()).isEqualTo(1);
    }

    @Test
    void runsWhatTasksSchedule() {
        timeline.schedule(Duration.ofMillis(10), () -> schedule(5, "nested"));

        timeline.advance(Duration.ofMillis(15));

        assertThat(ran).containsExactly("nested@15");
    }

    @Test
    void runsTasksWithoutDelayOnlyWhenAdvanced() {
        schedule(0, "now");

        assertThat(ran).isEmpty();
        timeline.advance(Duration.ZERO);
        assertThat(ran).containsExactly("now@0");
    }

    @Test
    void doesNotRunWhatWasCancelled() {
        Cancellable task = timeline.schedule(Duration.ofMillis(1), () -> ran.add("cancelled"));

        task.cancel();
        timeline.advance(Duration.ofMillis(1));

        assertThat(ran).isEmpty();
    }

    @Test
    void sleepsUntilAdvanced() {
        CompletableFuture<Void> sleeper = runAsync(() -> sleep(Duration.ofMillis(10)));
        await().until(() -> timeline.pending() == 1);

        timeline.advance(Duration.ofMillis(9));
        assertThat(sleeper).isNotDone();
        timeline.advance(Duration.ofMillis(1));

        assertThat(sleeper).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void doesNotSleepForNothing() throws InterruptedException {
        timeline.sleep(Duration.ZERO);

        assertThat(timeline.pending()).isZero();
    }

    @Test
    void waitsForAFutureWithoutNeedingTime() {
        CompletableFuture<String> future = new CompletableFuture<>();
        CompletableFuture<String> waiter = supplyAsync(() -> waitFor(future));
        await().until(() -> timeline.pending() == 1);

        future.complete("done");

        assertThat(waiter).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
        assertThat(timeline.pending()).isZero();
    }

    @Test
    void givesUpWaitingWhenTheTimeIsUp() {
        CompletableFuture<String> waiter = supplyAsync(() -> waitFor(new CompletableFuture<>()));
        await().until(() -> timeline.pending() == 1);

        timeline.advance(Duration.ofSeconds(1));

        assertThat(waiter)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withRootCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void passesOnTheFailureOfAFuture() {
        IllegalStateException failure = new IllegalStateException("failed");

        assertThatThrownBy(() -> timeline.await(CompletableFuture.failedFuture(failure), Duration.ofSeconds(1)))
                .isInstanceOf(ExecutionException.class)
                .hasCause(failure);
    }

    @Test
    void aSleepSkipsToItsEndAndRunsWhatIsDueOnTheWay() throws InterruptedException {
        VirtualTimeline skipping = VirtualTimeline.skipping();
        skipping.schedule(Duration.ofDays(1), () -> ran.add("due@" + skipping.elapsed()));
        skipping.schedule(Duration.ofDays(8), () -> ran.add("later"));

        skipping.sleep(Duration.ofDays(7));

        assertThat(ran).containsExactly("due@PT24H");
        assertThat(skipping.now()).isEqualTo(VirtualTimeline.START.plus(Duration.ofDays(7)));
    }

    @Test
    void aWaitSkipsNoFurtherThanItMust() throws Exception {
        VirtualTimeline skipping = VirtualTimeline.skipping();
        CompletableFuture<String> future = new CompletableFuture<>();
        skipping.schedule(Duration.ofMillis(10), () -> future.complete("done"));

        assertThat(skipping.await(future, Duration.ofSeconds(1))).isEqualTo("done");

        assertThat(skipping.elapsed()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void aWaitForWhatNeverComesSkipsItsWholeTime() {
        VirtualTimeline skipping = VirtualTimeline.skipping();

        assertThatThrownBy(() -> skipping.await(new CompletableFuture<>(), Duration.ofSeconds(1)))
                .isInstanceOf(TimeoutException.class);

        assertThat(skipping.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void whoIsInterruptedSkipsNothing() {
        VirtualTimeline skipping = VirtualTimeline.skipping();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> skipping.sleep(Duration.ofSeconds(1))).isInstanceOf(InterruptedException.class);

        assertThat(skipping.elapsed()).isZero();
        assertThat(Thread.interrupted()).isFalse();
    }

    private void schedule(int millis, String name) {
        timeline.schedule(
                Duration.ofMillis(millis),
                () -> ran.add(name + "@" + timeline.now().toEpochMilli()));
    }

    private void sleep(Duration duration) {
        try {
            timeline.sleep(duration);
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private String waitFor(CompletableFuture<String> future) {
        try {
            return timeline.await(future, Duration.ofSeconds(1));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new CompletionException(e);
        }
    }

    @Test
    void whoSkipsInterruptedRunsNothing() {
        VirtualTimeline skipping = VirtualTimeline.skipping();
        skipping.schedule(Duration.ofMillis(10), () -> ran.add("due"));
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> skipping.await(new CompletableFuture<>(), Duration.ofSeconds(1)))
                .isInstanceOf(InterruptedException.class);

        assertThat(ran).isEmpty();
    }
}
