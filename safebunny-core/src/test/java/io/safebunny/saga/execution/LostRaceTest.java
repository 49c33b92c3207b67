// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.concurrency.Turns;
import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.doubles.VirtualTimeline;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the loser of a race for a saga waits for, on real threads and in a time that stands still. */
class LostRaceTest {

    private static final int PREFETCH = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long TOOK = Duration.ofMillis(10).toNanos();

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final SagaTurns turns = new SagaTurns(new Turns<>(timeline), timeline, PREFETCH);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Hold begin(String saga) {
        return Objects.requireNonNull(turns.take(saga));
    }

    /** A message that waits for its turn. */
    private CompletableFuture<Void> waitFor(String saga) {
        return blocked(() -> begin(saga).close());
    }

    private CompletableFuture<Void> lose(String saga, long took) {
        return blocked(() -> turns.letWinnerGoOn(saga, took, 1));
    }

    private CompletableFuture<Void> blocked(Runnable call) {
        int before = timeline.pending();
        CompletableFuture<Void> done = CompletableFuture.runAsync(call, threads);
        await().until(() -> timeline.pending() > before);
        return done;
    }

    /** Time stands still, so it does not wait. */
    private void assertReturnsAtOnce(String saga) {
        assertThat(CompletableFuture.runAsync(() -> turns.letWinnerGoOn(saga, TOOK, 1), threads))
                .succeedsWithin(PATIENCE);
    }

    @Test
    void theOnlyMessageHereRunsAgainAtOnce() {
        try (Hold unused = begin("lone")) {
            assertReturnsAtOnce("lone");
        }
    }

    @Test
    void whereOthersWaitTheWinnerGetsSeveralTurns() {
        try (Hold unused = begin("busy")) {
            CompletableFuture<Void> next = waitFor("busy");
            CompletableFuture<Void> loser = lose("busy", TOOK);

            timeline.advance(Duration.ofMillis(39));
            assertThat(timeline.pending()).isEqualTo(2);
            timeline.advance(Duration.ofMillis(81));

            assertThat(loser).succeedsWithin(PATIENCE);
            assertThat(next).as("the turn is still the loser's").isNotDone();
        }
    }

    @Test
    void itNeverWaitsForLong() {
        try (Hold unused = begin("busy")) {
            CompletableFuture<Void> next = waitFor("busy");
            CompletableFuture<Void> loser = lose("busy", Duration.ofSeconds(10).toNanos());

            timeline.advance(Duration.ofMillis(500));

            assertThat(loser).succeedsWithin(PATIENCE);
            assertThat(next).isNotDone();
        }
    }

    /** Of ten places, two may pause: the rest is for the neighbours. */
    @Test
    void onlyAQuarterOfThePlacesPauses() {
        try (Hold first = begin("first");
                Hold second = begin("second");
                Hold third = begin("third")) {
            List<CompletableFuture<Void>> next = List.of(waitFor("first"), waitFor("second"), waitFor("third"));
            CompletableFuture<Void> pausing = CompletableFuture.allOf(lose("first", TOOK), lose("second", TOOK));

            assertReturnsAtOnce("third");

            timeline.advance(Duration.ofMillis(120));
            assertThat(pausing).succeedsWithin(PATIENCE);
            CompletableFuture<Void> again = lose("third", TOOK);
            timeline.advance(Duration.ofMillis(120));
            assertThat(again).succeedsWithin(PATIENCE);
            assertThat(next).noneMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void anInterruptEndsThePause() {
        try (Hold unused = begin("busy")) {
            CompletableFuture<Void> next = waitFor("busy");
            Thread.currentThread().interrupt();

            turns.letWinnerGoOn("busy", TOOK, 1);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(next).isNotDone();
        }
    }
}
