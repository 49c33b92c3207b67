// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.HoldingStore;
import io.safebunny.message.Envelope;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims of handlers that run long stay theirs, however slow the store is with each of them. */
@Timeout(60)
class RenewalTest {

    private final DedupBench bench = new DedupBench();
    private final HoldingStore store = new HoldingStore(bench.store);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch finish = new CountDownLatch(1);
    private final List<Future<?>> handlers = new ArrayList<>();

    @AfterEach
    void stop() {
        finish.countDown();
        threads.shutdownNow();
    }

    private void handle(Deduplication instance, int count) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Envelope message = DedupBench.another(i);
            handlers.add(threads.submit(() -> {
                bench.deliver(instance, message, execution -> {
                    running.countDown();
                    finish.await();
                });
                return null;
            }));
        }
        assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
    }

    private MessageRecord stored(int number) {
        Envelope message = DedupBench.another(number);
        return Objects.requireNonNull(bench.store.find(new RecordKey(message.correlationId(), message.id())));
    }

    private void awaitVersion(int number, long version) { // or a later one
        Awaitility.await()
                .untilAsserted(() -> assertThat(stored(number).version()).isGreaterThanOrEqualTo(version));
    }

    /** A store that takes its time: each write takes as long as it takes all ten to arrive. */
    @Test
    void isSideBySide() throws Exception {
        CyclicBarrier allTen = new CyclicBarrier(10);
        store.beforeReplace(record -> {
            try {
                allTen.await(5, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("they do not come together", e);
            }
        });
        Deduplication instance = bench.instance(store, threads, LEASE);
        instance.start();
        handle(instance, 10);
        bench.timeline.advance(LEASE.dividedBy(2));

        for (int i = 0; i < 10; i++) {
            awaitVersion(i, 2);
        }
    }

    @Test
    void isInTheOrderOfClaiming() throws Exception {
        List<String> renewed = new ArrayList<>();
        store.beforeReplace(record -> {
            if (record.state() == RecordState.CLAIMED) {
                renewed.add(record.key().messageId());
            }
        });
        Deduplication instance = bench.instance(store, Runnable::run, LEASE);
        instance.start();
        handleWithin(instance, 0, 10, () -> bench.timeline.advance(LEASE.dividedBy(2)));

        assertThat(renewed)
                .containsExactlyElementsOf(IntStream.range(0, 10)
                        .mapToObj(number -> DedupBench.another(number).id())
                        .toList());
    }

    /** One in the handler of the other, on this thread. */
    private void handleWithin(Deduplication instance, int number, int count, Runnable inside) throws Exception {
        bench.deliver(instance, DedupBench.another(number), execution -> {
            if (number + 1 < count) {
                handleWithin(instance, number + 1, count, inside);
            } else {
                inside.run();
            }
        });
    }

    @Test
    void ofOneClaimDoesNotHoldUpTheOthersWhenItHangs() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        AtomicInteger hung = new AtomicInteger();
        String stuck = stuckId();
        store.beforeReplace(record -> {
            if (record.key().messageId().equals(stuck) && record.state() == RecordState.CLAIMED) {
                hung.incrementAndGet();
                awaitQuietly(hanging);
            }
        });
        Deduplication instance = bench.instance(store, threads, LEASE);
        instance.start();
        handle(instance, 3);
        for (int round = 2; round < 5; round++) {
            bench.timeline.advance(LEASE.dividedBy(2));
            awaitVersion(1, round);
            awaitVersion(2, round);
        }

        assertThat(hung).as("renewals of the claim that hangs").hasValue(1);
        hanging.countDown();
    }

    private static String stuckId() {
        return DedupBench.another(0).id();
    }

    @Test
    void holdsAtMostSixteenThreadsAndPassesThosePlacesOnThatHang() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        AtomicInteger held = new AtomicInteger();
        store.beforeReplace(record -> {
            if (record.state() == RecordState.CLAIMED && held.incrementAndGet() <= 16) {
                awaitQuietly(hanging);
            }
        });
        Deduplication instance = bench.instance(store, threads, LEASE);
        instance.start();
        handle(instance, 40);
        bench.timeline.advance(LEASE.dividedBy(3));
        Awaitility.await().untilAsserted(() -> assertThat(held).hasValue(16));

        bench.timeline.advance(LEASE.dividedBy(4));
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(renewed(40)).as("renewed claims").isEqualTo(24));
        hanging.countDown();
        Awaitility.await().untilAsserted(() -> assertThat(renewed(40)).isEqualTo(40));
    }

    private long renewed(int count) {
        long renewed = 0;
        for (int i = 0; i < count; i++) {
            renewed += stored(i).version() > 1 ? 1 : 0;
        }
        return renewed;
    }

    @Test
    void isTriedAgainWhenThereIsNoThreadForIt() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        Executor reluctant = task -> {
            int number = refusals.incrementAndGet();
            if (number == 1) {
                throw new RejectedExecutionException("too much to do");
            }
            if (number == 2) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            threads.execute(task);
        };
        Deduplication instance = bench.instance(store, reluctant, LEASE);
        instance.start();
        handle(instance, 1);
        bench.timeline.advance(LEASE.multipliedBy(2).dividedBy(3));

        awaitVersion(0, 2);
    }

    @Test
    void goesOnAfterTheStoreDidNotAnswer() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        store.beforeReplace(record -> {
            if (writes.incrementAndGet() == 1) {
                throw new IllegalStateException("no answer");
            }
        });
        Deduplication instance = bench.instance(store, Runnable::run, LEASE);
        instance.start();
        handle(instance, 1);
        bench.timeline.advance(LEASE.dividedBy(3));
        assertThat(writes).hasValue(1);
        bench.timeline.advance(Duration.ofSeconds(5));

        assertThat(stored(0).version()).isEqualTo(2);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
