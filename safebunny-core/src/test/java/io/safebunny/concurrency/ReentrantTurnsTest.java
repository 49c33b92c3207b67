// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ReentrantTurnsTest {

    private static final int THREADS = 8;
    private static final int TURNS = 5_000;

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final ReentrantTurns lock = new ReentrantTurns(timeline);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private int counter;

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Returns when the thread waits in the line. */
    private CompletableFuture<Boolean> waiting(String name) {
        int before = timeline.pending();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                () -> {
                    lock.lock();
                    log.add(name);
                    boolean interrupted = Thread.interrupted();
                    lock.unlock();
                    return interrupted;
                },
                threads);
        await().until(() -> timeline.pending() > before);
        return waiting;
    }

    @Test
    void oneThreadAtATimeHoldsIt() {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(CompletableFuture.runAsync(
                    () -> {
                        for (int turn = 0; turn < TURNS; turn++) {
                            lock.lock();
                            counter++;
                            lock.unlock();
                        }
                    },
                    threads));
        }
        all.forEach(CompletableFuture::join);

        assertThat(counter).isEqualTo(THREADS * TURNS);
    }

    @Test
    void whoHoldsItMayTakeItAgainAndKeepsItUntilTheLastUnlock() {
        lock.lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();

        lock.unlock();
        lock.unlock();
        assertThat(CompletableFuture.supplyAsync(lock::tryLock, threads).join()).isFalse();

        lock.unlock();
        assertThat(CompletableFuture.supplyAsync(lock::tryLock, threads).join()).isTrue();
    }

    @Test
    void whoComesFirstIsServedFirst() {
        lock.lock();
        List<CompletableFuture<Boolean>> all = List.of(waiting("a"), waiting("b"), waiting("c"));

        lock.unlock();
        all.forEach(CompletableFuture::join);

        assertThat(log).containsExactly("a", "b", "c");
    }

    @Test
    void anInterruptDoesNotEndTheWaitAndIsKept() throws Exception {
        lock.lock();
        Thread[] waiter = new Thread[1];
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        int before = timeline.pending();
        threads.execute(() -> {
            waiter[0] = Thread.currentThread();
            lock.lock();
            interrupted.complete(Thread.currentThread().isInterrupted());
            lock.unlock();
        });
        await().until(() -> timeline.pending() > before);

        waiter[0].interrupt();
        lock.unlock();

        assertThat(interrupted.get()).isTrue();
    }

    @Test
    void whoFailsWhileWaitingLeavesTheLine() {
        Timeline failing = new ForwardingTimeline(timeline) {
            @Override
            public <T> T await(CompletableFuture<T> future, Duration timeout) {
                throw new IllegalStateException("its process has ended");
            }
        };
        ReentrantTurns turns = new ReentrantTurns(failing);
        turns.lock();

        assertThatThrownBy(
                        () -> CompletableFuture.runAsync(turns::lock, threads).join())
                .hasRootCauseInstanceOf(IllegalStateException.class);

        turns.unlock();
        assertThat(CompletableFuture.supplyAsync(turns::tryLock, threads).join())
                .isTrue();
    }

    @Test
    void whoDoesNotHoldItCannotUnlockIt() {
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }
}
