// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.doubles.VirtualTimeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class SharedLockTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofSeconds(10);

    private final VirtualTimeline skipping = VirtualTimeline.skipping();
    private final SharedLock lock = new SharedLock(skipping);
    private final VirtualTimeline standing = new VirtualTimeline();
    private final SharedLock blocking = new SharedLock(standing);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Returns when the thread waits in the line. */
    private CompletableFuture<Boolean> waiting(boolean toBeAlone) {
        int before = standing.pending();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return toBeAlone ? blocking.acquireAlone(PATIENCE) : blocking.acquireTogether(PATIENCE);
                    } catch (InterruptedException e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
        await().until(() -> standing.pending() > before);
        return waiting;
    }

    @Test
    void manyHoldItTogetherWithoutWaiting() throws InterruptedException {
        assertThat(lock.acquireTogether(PATIENCE)).isTrue();
        assertThat(lock.acquireTogether(PATIENCE)).isTrue();

        assertThat(skipping.elapsed()).isZero();
    }

    @Test
    void nobodyIsAloneBesideAnotherHowEverLongItWaits() throws InterruptedException {
        lock.acquireTogether(PATIENCE);

        assertThat(lock.acquireAlone(PATIENCE)).isFalse();
        assertThat(skipping.elapsed()).isEqualTo(PATIENCE);
    }

    @Test
    void nobodyIsBesideOneThatIsAlone() throws InterruptedException {
        lock.acquireAlone(PATIENCE);

        assertThat(lock.acquireTogether(PATIENCE)).isFalse();
        assertThat(lock.acquireAlone(PATIENCE)).isFalse();
        assertThat(skipping.elapsed()).isEqualTo(PATIENCE.multipliedBy(2));
    }

    @Test
    void isWaitedForNoLongerThanUntilItIsReleased() throws InterruptedException {
        lock.acquireAlone(PATIENCE);
        skipping.schedule(Duration.ofSeconds(1), lock::release);

        assertThat(lock.acquireAlone(PATIENCE)).isTrue();
        assertThat(skipping.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void goesToTheOneThatIsToBeAloneOnlyWhenAllOthersHaveReleasedIt() throws InterruptedException {
        blocking.acquireTogether(PATIENCE);
        blocking.acquireTogether(PATIENCE);
        CompletableFuture<Boolean> alone = waiting(true);

        blocking.release();
        assertThat(alone).isNotDone();
        blocking.release();

        assertThat(alone).succeedsWithin(SOON).isEqualTo(true);
    }

    @Test
    void whoComesAfterOneThatWaitsToBeAloneWaitsBehindIt() throws InterruptedException {
        blocking.acquireTogether(PATIENCE);
        CompletableFuture<Boolean> alone = waiting(true);
        CompletableFuture<Boolean> behind = waiting(false);
        CompletableFuture<Boolean> alsoBehind = waiting(false);

        blocking.release();
        assertThat(alone).succeedsWithin(SOON).isEqualTo(true);
        assertThat(behind).isNotDone();
        blocking.release();

        assertThat(behind).succeedsWithin(SOON).isEqualTo(true);
        assertThat(alsoBehind).succeedsWithin(SOON).isEqualTo(true);
    }

    @Test
    void whoGivesUpWaitingToBeAloneLetsThoseBehindItIn() throws InterruptedException {
        blocking.acquireTogether(PATIENCE);
        CompletableFuture<Boolean> alone = waiting(true);
        standing.advance(Duration.ofSeconds(1));
        CompletableFuture<Boolean> behind = waiting(false);

        standing.advance(Duration.ofSeconds(2));

        assertThat(alone).succeedsWithin(SOON).isEqualTo(false);
        assertThat(behind).succeedsWithin(SOON).isEqualTo(true);
    }

    @Test
    void whoIsInterruptedWhileWaitingLetsThoseBehindItIn() throws InterruptedException {
        blocking.acquireTogether(PATIENCE);
        Thread alone = new Thread(() -> assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> blocking.acquireAlone(PATIENCE)));
        alone.start();
        await().until(() -> standing.pending() == 1);
        CompletableFuture<Boolean> behind = waiting(false);

        alone.interrupt();

        assertThat(behind).succeedsWithin(SOON).isEqualTo(true);
    }

    @Test
    void whoIsInterruptedAlreadyHoldsNothing() throws InterruptedException {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.acquireTogether(PATIENCE));

        assertThat(lock.acquireAlone(PATIENCE)).isTrue();
        assertThat(skipping.elapsed()).isZero();
    }
}
