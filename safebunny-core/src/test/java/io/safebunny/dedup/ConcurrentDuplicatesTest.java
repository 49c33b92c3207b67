// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.memory.MemoryMessageStore;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;

class ConcurrentDuplicatesTest {

    private static final int THREADS = 16;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Deduplication deduplication = new Deduplication(DedupBench.node(
            new MemoryMessageStore(timeline, Duration.ofDays(7)),
            new RecordingTransport(),
            timeline,
            Runnable::run,
            new SimpleMeterRegistry(),
            DedupBench.LEASE));
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger busy = new AtomicInteger();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @RepeatedTest(value = 20, failureThreshold = 1)
    void handlesOneOfManyDeliveriesThatArriveTogether() throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        CountDownLatch othersAreBusy = new CountDownLatch(THREADS - 1);
        Callable<Boolean> delivery = () -> {
            start.await();
            try {
                DedupBench.requireNoFailure(DedupBench.handle(
                        deduplication,
                        new Handling(new CurrentHandling(), Wires.orderPlaced().envelope()),
                        failure -> new Returned(Duration.ZERO, failure, BreakerEffect.of(failure)),
                        execution -> {
                            runs.incrementAndGet();
                            assertThat(othersAreBusy.await(5, TimeUnit.SECONDS))
                                    .as("the others are busy")
                                    .isTrue();
                        }));
                return true;
            } catch (NotHandledException e) {
                busy.incrementAndGet();
                othersAreBusy.countDown();
                return false;
            }
        };
        for (Future<Boolean> future : threads.invokeAll(Collections.nCopies(THREADS, delivery))) {
            assertThat(future.get()).isNotNull();
        }

        assertThat(runs).hasValue(1);
        assertThat(busy).hasValue(THREADS - 1);
    }

    @RepeatedTest(value = 20, failureThreshold = 1)
    void handlesOneOfManyWhenTheyComeBackUntilDone() throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Callable<Boolean> delivery = () -> {
            start.await();
            while (true) {
                try {
                    DedupBench.requireNoFailure(DedupBench.handle(
                            deduplication,
                            new Handling(
                                    new CurrentHandling(), Wires.orderPlaced().envelope()),
                            failure -> new Returned(Duration.ZERO, failure, BreakerEffect.of(failure)),
                            execution -> {
                                // the first three fail
                                if (runs.incrementAndGet() <= 3) {
                                    throw new IllegalStateException("failed");
                                }
                            }));
                    return true;
                } catch (NotHandledException | IllegalStateException e) {
                    Thread.onSpinWait();
                }
            }
        };
        for (Future<Boolean> future : threads.invokeAll(Collections.nCopies(THREADS, delivery))) {
            assertThat(future.get()).isTrue();
        }

        assertThat(runs).hasValue(4);
    }
}
