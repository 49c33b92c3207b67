// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import jakarta.persistence.RollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A node whose handlers run in transactions of H2, on the embedded broker. */
@Timeout(60)
class HandlerTransactionTest {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    private final AtomicInteger runs = new AtomicInteger();

    private record Order(String id) {}

    private record Shipped(int attempt) {}

    private record Refused(int attempt) {}

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private SafeBunnyEngine engine(String node, @Nullable MessageStore store) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .build());
        engines.add(engine);
        return engine;
    }

    private static HandlerDefinition handler(Class<?> type, String from, int retries, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "test.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of(from),
                1,
                RecoveryPolicy.of(RetryStrategy.of(retries, Duration.ofMillis(1)), RetryStrategy.none()),
                invoker);
    }

    /** @param work is given the number of the run, from 1, and publishes as the node */
    private void ship(PlatformTransactionManager transactions, int retries, Work work) {
        ship(transactions, JdbcStoreOptions.of("any", Duration.ofHours(1)).maxContentBytes(), retries, work);
    }

    private void ship(PlatformTransactionManager transactions, long maxContentBytes, int retries, Work work) {
        SafeBunnyEngine desk = engine("desk", null);
        desk.start(List.of(
                handler(Shipped.class, "shop", 0, (payload, context) -> received.add(payload)),
                handler(Refused.class, "shop", 0, (payload, context) -> received.add(payload))));
        SafeBunnyEngine shop = engine(
                "shop",
                new TransactionalJdbcMessageStore(
                        TestDatabase.H2.pool(),
                        transactions,
                        JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1))
                                .withMaxContentBytes(maxContentBytes)));
        Bunny bunny = shop.bunny();
        shop.start(List.of(
                handler(Order.class, "desk", retries, (payload, context) -> work.run(runs.incrementAndGet(), bunny))));
        Published unused = desk.bunny().publish(new Order("o-1"));
    }

    @FunctionalInterface
    private interface Work {
        void run(int number, Bunny bunny) throws Exception;
    }

    private @Nullable Object next() throws InterruptedException {
        return received.poll(10, TimeUnit.SECONDS);
    }

    @Test
    void whatIsPublishedAtTheRollbackOfAnAttemptIsNotPartOfTheNextOne() throws Exception {
        ship(new JdbcTransactionManager(TestDatabase.H2.pool()), 1, (number, bunny) -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    if (status == STATUS_ROLLED_BACK) {
                        Published unused = bunny.publish(new Refused(number));
                    }
                }
            });
            if (number == 1) {
                throw new IllegalStateException("the first attempt fails");
            }
            Published unused = bunny.publish(new Shipped(number));
        });

        assertThat(next()).isEqualTo(new Shipped(2));
        assertThat(received).isEmpty();
    }

    /** A listener that publishes is refused; otherwise its publication would go out for a message that ends up poisoned. */
    @Test
    void listenersOfTheRollbackMayNotPublishWhenTheRecordIsTooLarge() throws Exception {
        BlockingQueue<Object> told = new LinkedBlockingQueue<>();
        ship(new JdbcTransactionManager(TestDatabase.H2.pool()), 1_024, 0, (number, bunny) -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    try {
                        Published unused = bunny.publish(new Refused(number));
                        told.add("published");
                    } catch (InvalidPublicationException e) {
                        told.add(e);
                    }
                }
            });
            for (int i = 0; i < 100; i++) {
                Published unused = bunny.publish(new Shipped(i));
            }
        });

        assertThat(told.poll(10, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(InvalidPublicationException.class, e -> assertThat(e)
                        .hasMessageContaining("at the rollback of message"));
        assertThat(received).isEmpty();
    }

    @Test
    void aCommitThatIsReportedAsFailedAfterwardsStands() throws Exception {
        PlatformTransactionManager failsAfterwards = new JdbcTransactionManager(TestDatabase.H2.pool()) {
            private static final long serialVersionUID = 1;

            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                super.doCommit(status);
                if (runs.get() > 0) {
                    throw new TransactionSystemException("a listener failed", new RollbackException());
                }
            }
        };
        ship(failsAfterwards, 2, (number, bunny) -> {
            Published unused = bunny.publish(new Shipped(number));
        });

        assertThat(next()).isEqualTo(new Shipped(1));
        assertThat(runs).hasValue(1);
    }

    /** The lock on the claim ends with the transaction; it must not leave behind an attempt that nobody made. */
    @Test
    void whatIsInterruptedByAForcedStopIsHandledByTheNextInstance() throws Exception {
        SafeBunnyEngine desk = engine("desk", null);
        desk.start(List.of());
        MessageStore store = new TransactionalJdbcMessageStore(
                TestDatabase.H2.pool(),
                new JdbcTransactionManager(TestDatabase.H2.pool()),
                JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));
        BlockingQueue<Thread> handling = new LinkedBlockingQueue<>();
        CountDownLatch failed = new CountDownLatch(1);
        SafeBunnyEngine stopped = engine("shop", store);
        stopped.start(List.of(handler(Order.class, "desk", 0, (payload, context) -> {
            handling.add(Thread.currentThread());
            try {
                new CountDownLatch(1).await();
            } finally {
                failed.countDown();
            }
        })));
        Published unused = desk.bunny().publish(new Order("o-1"));
        Thread handler = handling.take();
        stopped.stop(Duration.ofMillis(100));
        handler.interrupt();
        assertThat(failed.await(10, TimeUnit.SECONDS)).isTrue();
        engine("shop", store)
                .start(List.of(handler(Order.class, "desk", 0, (payload, context) -> received.add(context.attempt()))));

        assertThat(next()).isEqualTo(0);
        assertThat(broker.messages("shop-poison")).isEmpty();
    }

    @Test
    void anErrorAfterTheCommitIsNotTheHandlersFailure() throws Exception {
        ship(new JdbcTransactionManager(TestDatabase.H2.pool()), 0, (number, bunny) -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new NoSuchMethodError("simulated");
                }
            });
            Published unused = bunny.publish(new Shipped(number));
        });

        assertThat(next()).isEqualTo(new Shipped(1));
        assertThat(runs).hasValue(1);
        assertThat(broker.depth("shop-poison")).isZero();
    }
}
