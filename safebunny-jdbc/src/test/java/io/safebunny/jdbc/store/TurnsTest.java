// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One message at a time. */
@Timeout(30)
class TurnsTest {

    private final StepBench bench = new StepBench(TestDatabase.H2, 1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicReference<Thread> waiting = new AtomicReference<>();
    private final AtomicInteger runs = new AtomicInteger();

    enum End {
        RETURNED,
        FAILED,
        DIED,
        LOST_ITS_TRANSACTION,
        RETRIED_IN_MEMORY,
        COULD_NOT_BEGIN
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        bench.close();
    }

    @ParameterizedTest
    @EnumSource
    void theNextOneIsHandledHoweverTheFirstEnded(End end) throws Exception {
        try {
            end(end);
        } catch (Exception | ThreadDeath ended) {
            assertThat(end).isNotEqualTo(End.RETURNED);
        }

        threads.submit(() -> {
                    bench.deliver(bench.first, execution -> runs.incrementAndGet());
                    return true;
                })
                .get();

        assertThat(bench.judged.size() + runs.get()).isPositive();
    }

    private void end(End end) throws Exception {
        if (end == End.COULD_NOT_BEGIN) {
            new TransactionTemplate(new JdbcTransactionManager(TestDatabase.H2.pool()))
                    .executeWithoutResult(open -> assertThatThrownBy(() -> bench.deliver(bench.first, execution -> {}))
                            .isInstanceOf(MisuseException.class));
            return;
        }
        bench.deliver(bench.first, execution -> {
            runs.incrementAndGet();
            switch (end) {
                case FAILED -> throw new IllegalStateException("on purpose");
                case DIED -> throw new ThreadDeath();
                case LOST_ITS_TRANSACTION -> TestDatabase.H2.endSessionOfThisThread();
                case RETRIED_IN_MEMORY -> execution.undoAttempt();
                default -> {}
            }
        });
    }

    private Future<?> second() {
        return threads.submit(() -> {
            waiting.set(Thread.currentThread());
            bench.deliver(bench.first, execution -> runs.incrementAndGet());
            return true;
        });
    }

    private void awaitWaiting() {
        Awaitility.await().until(() -> {
            Thread thread = waiting.get();
            return thread != null && thread.getState() == Thread.State.WAITING;
        });
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void waitsForItsTurnAndKeepsItForRetriesInMemory(boolean retries) throws Exception {
        AtomicReference<Future<?>> second = new AtomicReference<>();
        bench.deliver(bench.first, execution -> {
            second.set(second());
            awaitWaiting();
            if (retries) {
                execution.undoAttempt();
            }
            assertThat(runs).hasValue(0);
        });
        Objects.requireNonNull(second.get()).get();
        assertThat(bench.judged).isEmpty();
    }

    @Test
    void anInterruptEndsTheWaitAndIsNoTrouble() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        bench.deliver(bench.first, execution -> {
            Future<?> second = second();
            awaitWaiting();
            Objects.requireNonNull(waiting.get()).interrupt();
            assertThatThrownBy(second::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(NotHandledException.class, comesBack -> assertThat(comesBack.isTrouble())
                            .isFalse());
            done.countDown();
        });
        assertThat(done.getCount()).isZero();
        assertThat(bench.judged).isEmpty();
        assertThat(runs).hasValue(0);
    }
}
