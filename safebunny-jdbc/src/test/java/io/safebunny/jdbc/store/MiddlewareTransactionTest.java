// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Published;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Middlewares around a handler in an H2 transaction: writes of a failed run must not be committed. */
@Timeout(60)
class MiddlewareTransactionTest {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final JdbcTemplate database = new JdbcTemplate(TestDatabase.H2.pool());
    private final String order = UUID.randomUUID().toString();

    private record Order(String id) {}

    @BeforeEach
    void createTable() {
        database.execute("create table if not exists middleware_debit (order_id varchar(100), run int)");
    }

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private SafeBunnyEngine engine(String node, @Nullable MessageStore store, List<ConsumeMiddleware> middlewares) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .consumeMiddlewares(middlewares)
                .breakers(new CircuitBreakers(BreakerSettings.defaults(), timeline, threads))
                .callbacks(threads)
                .build());
        engines.add(engine);
        return engine;
    }

    private void handle(ConsumeMiddleware middleware, HandlerInvoker invoker) {
        handle(List.of(middleware), invoker);
    }

    private void handle(List<ConsumeMiddleware> middlewares, HandlerInvoker invoker) {
        SafeBunnyEngine shop = engine(
                "shop",
                new TransactionalJdbcMessageStore(
                        TestDatabase.H2.pool(),
                        new JdbcTransactionManager(TestDatabase.H2.pool()),
                        JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1))),
                middlewares);
        shop.start(List.of(new HandlerDefinition(
                "test.on(Order)",
                "Order",
                Order.class,
                List.of("shop"),
                1,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                invoker)));
        Published unused = shop.bunny().publish(new Order(order));
        await().until(() -> runs.get() > 0 && broker.isIdle());
    }

    private void debit(int run) {
        database.update("insert into middleware_debit values (?, ?)", order, run);
    }

    private List<Integer> debits() {
        return database.queryForList("select run from middleware_debit where order_id = ?", Integer.class, order);
    }

    /** docs/middleware.md: "Calling next again runs the rest again". */
    @Test
    void whatAFailedRunWroteIsUndoneBeforeAMiddlewareRunsTheHandlerAgain() {
        handle(
                (context, next) -> {
                    try {
                        next.run();
                    } catch (IllegalStateException e) {
                        next.run();
                    }
                },
                (payload, context) -> {
                    debit(runs.incrementAndGet());
                    if (runs.get() == 1) {
                        throw new IllegalStateException("the first run fails after its debit");
                    }
                });

        assertThat(debits()).containsExactly(2);
    }

    @Test
    void whatAFailedHandlerWroteIsNotCommittedWhenAMiddlewareSwallowsTheFailure() {
        handle(
                (context, next) -> {
                    try {
                        next.run();
                    } catch (IllegalStateException e) {
                        // swallows the failure, so that the message counts as handled
                    }
                },
                (payload, context) -> {
                    debit(runs.incrementAndGet());
                    throw new IllegalStateException("fails between debit and credit");
                });

        assertThat(debits()).isEmpty();
    }

    @Test
    void whatAMiddlewareWritesAfterTheFailureIsCommittedWithTheMessage() {
        handle(
                (context, next) -> {
                    try {
                        next.run();
                    } catch (IllegalStateException e) {
                        debit(100);
                    }
                },
                (payload, context) -> {
                    debit(runs.incrementAndGet());
                    throw new IllegalStateException("declined");
                });

        assertThat(debits()).containsExactly(100);
    }

    /** A middleware that runs everything again, because its own work after the handler has failed. */
    @Test
    void whatARunWroteIsUndoneBeforeItIsRepeatedAlthoughItSucceeded() {
        handle(
                (context, next) -> {
                    next.run();
                    next.run();
                },
                (payload, context) -> debit(runs.incrementAndGet()));

        assertThat(debits()).containsExactly(2);
    }

    @Test
    void theGroupAfterSeesWhatIsCommittedAndWritesOnItsOwn() {
        List<Integer> seen = new ArrayList<>();
        List<@Nullable Throwable> told = new ArrayList<>();
        handle(
                List.of(new After(context -> {
                    assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                            .isFalse();
                    seen.addAll(debits());
                    told.add(context.failure());
                    debit(200);
                    throw new IllegalStateException("too late to change anything");
                })),
                (payload, context) -> debit(runs.incrementAndGet()));

        assertThat(seen).containsExactly(1);
        assertThat(told).hasSize(1).containsOnlyNulls();
        assertThat(debits()).containsExactlyInAnyOrder(1, 200);
    }

    @Test
    void theGroupAfterSeesNothingOfTheFailedRunThatIsSwallowed() {
        List<Integer> seen = new ArrayList<>();
        handle(
                List.of(
                        (context, next) -> {
                            try {
                                next.run();
                            } catch (IllegalStateException e) {
                                // lets the message count as handled
                            }
                        },
                        new After(context -> {
                            seen.addAll(debits());
                            debit(200);
                        })),
                (payload, context) -> {
                    debit(runs.incrementAndGet());
                    throw new IllegalStateException("declined");
                });

        assertThat(seen).isEmpty();
        assertThat(debits()).containsExactly(200);
    }

    @Test
    void theGroupAfterSeesThatTheCommitFailed() {
        IllegalStateException failure = new IllegalStateException("at the commit");
        List<@Nullable Throwable> told = new ArrayList<>();
        handle(List.of(new After(context -> told.add(context.failure()))), (payload, context) -> {
            debit(runs.incrementAndGet());
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    throw failure;
                }
            });
        });

        assertThat(told).containsExactly(failure);
        assertThat(debits()).isEmpty();
    }

    private record After(Consumer<ConsumeContext> action) implements ConsumeMiddleware {
        @Override
        public Group group() {
            return Group.AFTER;
        }

        @Override
        public void invoke(ConsumeContext context, Next next) {
            action.accept(context);
        }
    }
}
