// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Four messages that wait share a transaction of PostgreSQL; whatever happens to one of them, or to all, each is handled once. */
@Timeout(60)
class PostgresSharedTransactionsIT {

    private static final int MESSAGES = 4;

    private final TestDatabase database = TestDatabase.POSTGRESQL;
    private final JdbcTransactionManager manager = new JdbcTransactionManager(database.pool());
    private final JdbcTemplate sql = new JdbcTemplate(database.pool());
    private final SystemTimeline timeline = new SystemTimeline("shared-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final String test = UUID.randomUUID().toString();
    private final List<Integer> runs = new CopyOnWriteArrayList<>();
    private final List<Integer> shipped = new CopyOnWriteArrayList<>();
    private boolean losesAcknowledgements;
    /** An order that leaves no effect, and publishes nothing. */
    private int returnsEarly;

    private record Order(int number) {}

    private record Shipped(int number) {}

    @FunctionalInterface
    private interface Work {
        void run(int order, MessageContext context) throws Exception;
    }

    @BeforeEach
    void createTables() {
        sql.execute(
                "create table if not exists shared_effect (test varchar(100), number int, attempt int, tx bigint, at bigint generated always as identity)");
        sql.execute(
                "create table if not exists shared_once (test varchar(100), number int, constraint shared_twice unique (test, number) deferrable initially deferred)");
    }

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private static HandlerDefinition handler(
            Class<?> type, String from, int prefetch, int perTransaction, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "test.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of(from),
                prefetch,
                Grouping.inTransaction(perTransaction),
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                invoker);
    }

    private SafeBunnyEngine engine(SafeBunnyParts.Builder parts) {
        SafeBunnyEngine engine = new SafeBunnyEngine(parts.callbacks(threads).build());
        engines.add(engine);
        return engine;
    }

    private MemoryTransport transport() {
        return new MemoryTransport(broker, TopologyOptions.defaults());
    }

    private void handle(Work work) {
        handle(
                desk -> IntStream.rangeClosed(1, MESSAGES).forEach(number -> {
                    Published unused = desk.publish(new Order(number));
                }),
                work);
    }

    /** Each order leaves an effect and publishes, and does the work before that. Waits until all is done. */
    private void handle(Consumer<Bunny> orders, Work work) {
        SafeBunnyEngine desk = engine(SafeBunnyParts.builder(SafeBunnyOptions.of("desk"), transport(), timeline));
        desk.start(List.of(
                handler(Shipped.class, "shop", 1, 1, (payload, context) -> shipped.add(((Shipped) payload).number()))));
        SafeBunnyEngine shop = engine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("shop"),
                        new GatheringTransport(transport(), MESSAGES, losesAcknowledgements),
                        timeline)
                .store(new TransactionalJdbcMessageStore(
                        database.pool(), manager, JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)))));
        shop.start(List.of(handler(Order.class, "desk", MESSAGES, MESSAGES, (payload, context) -> {
            int number = ((Order) payload).number();
            runs.add(number);
            work.run(number, context);
            if (number == returnsEarly) {
                return;
            }
            sql.update(
                    "insert into shared_effect (test, number, attempt, tx) values (?, ?, ?, txid_current())",
                    test,
                    number,
                    context.attempt());
            Published unused = shop.bunny().publish(new Shipped(number));
        })));
        orders.accept(desk.bunny());
        await().until(() -> !runs.isEmpty() && broker.isIdle());
    }

    private <T> List<T> effects(String column, Class<T> type) {
        return sql.queryForList(
                "select %s from shared_effect where test = ? order by at".formatted(column), type, test);
    }

    private void assertAllAreHandledOnce() {
        assertThat(effects("number", Integer.class)).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(effects("attempt", Integer.class)).containsOnly(0);
        assertThat(shipped).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(broker.depth("shop-poison")).isZero();
    }

    /** The others keep theirs, and have been run once. */
    private void assertOnlyTheSecondIsPoison() {
        assertThat(effects("number", Integer.class)).containsExactlyInAnyOrder(1, 3, 4);
        assertThat(effects("attempt", Integer.class)).containsOnly(0);
        assertThat(shipped).containsExactlyInAnyOrder(1, 3, 4);
        assertThat(broker.depth("shop-poison")).isEqualTo(1);
    }

    private long transactions() {
        return effects("tx", Long.class).stream().distinct().count();
    }

    private TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    @Test
    void allAreHandledInOneTransaction() {
        handle((order, context) -> {});

        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(1);
        assertThat(runs).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(shipped).as("in the order of handling").containsExactlyElementsOf(effects("number", Integer.class));
    }

    @Test
    void oneThatFailsIsUndoneAloneAndSpendsItsOwnAttempt() {
        handle((order, context) -> {
            sql.update("insert into shared_once values (?, ?)", test, order);
            if (order == 2) {
                throw new IllegalStateException("poison");
            }
        });

        assertOnlyTheSecondIsPoison();
        assertThat(transactions()).isEqualTo(1);
        assertThat(sql.queryForList("select number from shared_once where test = ?", Integer.class, test))
                .containsExactlyInAnyOrder(1, 3, 4);
        assertThat(runs).containsExactlyInAnyOrder(1, 2, 3, 4, 2);
    }

    @Test
    void oneThatFailsOnlyBesideOthersIsHandledOnItsOwn() {
        handle((order, context) -> {
            if (order == 2 && runs.stream().filter(run -> run == 2).count() == 1) {
                throw new IllegalStateException("the first time only");
            }
        });

        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(2);
    }

    @Test
    void aStatementThatFailedInOneDoesNotBreakTheOthers() {
        handle((order, context) -> {
            if (order == 2) {
                sql.update("insert into shared_effect (nothing) values (1)");
            }
        });

        assertOnlyTheSecondIsPoison();
        assertThat(transactions()).isEqualTo(1);
    }

    /** Its handler returns; that the transaction is broken is found out by its savepoint. */
    @Test
    void aStatementWhoseFailureOneSwallowsDoesNotBreakTheOthers() {
        returnsEarly = 2;
        handle((order, context) -> {
            if (order == 2) {
                assertThat(catchThrowable(() -> sql.update("insert into shared_effect (nothing) values (1)")))
                        .isNotNull();
            }
        });

        assertOnlyTheSecondIsPoison();
        assertThat(transactions()).isEqualTo(1);
    }

    @Test
    void whatOneMarksForRollbackDoesNotBreakTheOthers() {
        handle((order, context) -> {
            if (order == 2) {
                transaction(TransactionDefinition.PROPAGATION_REQUIRED)
                        .executeWithoutResult(status -> status.setRollbackOnly());
            }
        });

        assertOnlyTheSecondIsPoison();
        assertThat(transactions()).isEqualTo(1);
    }

    /** The second one is a deadlock's victim: the other transaction waits far longer before it looks for deadlocks. */
    @Test
    void aDeadlocksVictimIsHandledOnItsOwn() throws Exception {
        sql.update("insert into shared_once values (?, 10), (?, 20)", test, test);
        String lock = "select number from shared_once where test = ? and number = ? for update";
        CountDownLatch othersLock = new CountDownLatch(1);
        CountDownLatch oursIsNext = new CountDownLatch(1);
        Future<?> other = threads.submit(
                () -> transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
                    sql.execute("set local deadlock_timeout = '30s'");
                    sql.queryForList(lock, test, 20);
                    othersLock.countDown();
                    awaitQuietly(oursIsNext);
                    sql.queryForList(lock, test, 10);
                }));
        List<Throwable> victims = new CopyOnWriteArrayList<>();
        handle((order, context) -> {
            if (order == 2 && victims.isEmpty()) {
                awaitQuietly(othersLock);
                sql.queryForList(lock, test, 10);
                oursIsNext.countDown();
                try {
                    sql.queryForList(lock, test, 20);
                } catch (DataAccessException e) {
                    victims.add(e);
                    throw e;
                }
            }
        });

        other.get(30, TimeUnit.SECONDS);
        assertThat(victims).singleElement().satisfies(e -> assertThat(e).hasStackTraceContaining("deadlock"));
        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(2);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As when the process ends between a savepoint and the commit: nothing is there, and each is handled again. */
    @Test
    void whenTheSessionIsLostAllAreHandledOneByOne() {
        onceInTheThird(database::endSessionOfThisThread);

        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(4);
    }

    @Test
    void whenAHandlerRollsTheTransactionBackAllAreHandledOneByOne() {
        onceInTheThird(() -> onConnection(Connection::rollback));

        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(4);
    }

    /** What was handled before it is committed; what was claimed, and not handled yet, is not lost. */
    @Test
    void whenAHandlerCommitsTheTransactionNothingIsLost() {
        onceInTheThird(() -> onConnection(Connection::commit));

        assertAllAreHandledOnce();
    }

    @FunctionalInterface
    private interface Misuse {
        void on(Connection connection) throws Exception;
    }

    private void onConnection(Misuse misuse) {
        Connection connection = DataSourceUtils.getConnection(database.pool());
        try {
            misuse.on(connection);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** In the third message that is run, whichever that is. */
    private void onceInTheThird(Runnable action) {
        handle((order, context) -> {
            if (runs.size() == 3) {
                action.run();
            }
        });
    }

    /** Nobody can tell whose fault that is: each on its own, and only the one that breaks its own commit is poison. */
    @Test
    void whenTheCommitFailsAllAreHandledOneByOne() {
        handle((order, context) -> {
            if (order == 2) {
                sql.update("insert into shared_once values (?, 2), (?, 2)", test, test);
            }
        });

        assertOnlyTheSecondIsPoison();
        assertThat(transactions()).isEqualTo(3);
    }

    @Test
    void aDuplicateInTheGroupIsHandledOnce() {
        PublishOptions same = PublishOptions.none().withCorrelationId(test).withIdempotencyKey("the same");
        handle(
                desk -> {
                    for (int number : List.of(1, 2, 1, 3)) {
                        Published unused = desk.publish(new Order(number), number == 1 ? same : PublishOptions.none());
                    }
                },
                (order, context) -> {});

        assertThat(effects("number", Integer.class)).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(shipped).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(transactions()).isEqualTo(1);
        assertThat(broker.depth("shop-poison")).isZero();
    }

    /** As when the process ends between the commit and the acknowledgements. */
    @Test
    void whenAcknowledgementsAreLostAllAreDuplicates() {
        losesAcknowledgements = true;
        handle((order, context) -> {});

        assertThat(effects("number", Integer.class)).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(shipped).as("at least once").contains(1, 2, 3, 4);
        assertThat(runs).hasSize(MESSAGES);
    }

    @Test
    void stepsAreRunOnceAndTheirMessagesHandledOnTheirOwn() {
        List<Integer> steps = new CopyOnWriteArrayList<>();
        handle((order, context) -> context.once("step", () -> {
            steps.add(order);
        }));

        assertAllAreHandledOnce();
        assertThat(steps).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(transactions()).isEqualTo(4);
    }

    /** A listener belongs to one message, and a rollback to a savepoint does not take it back. */
    @Test
    void messagesWhoseHandlersListenToTheCommitAreHandledOnTheirOwn() {
        List<Integer> told = new CopyOnWriteArrayList<>();
        handle((order, context) ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        told.add(order);
                    }
                }));

        assertAllAreHandledOnce();
        assertThat(told).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(transactions()).isEqualTo(4);
    }

    /** In a shared transaction the second one would wait for the lock of the first, which the same thread holds: nobody would notice. */
    @Test
    void messagesWhoseHandlersBeginTransactionsOfTheirOwnAreHandledOnTheirOwn() {
        sql.update("insert into shared_once values (?, 0)", test);
        String touch = "update shared_once set number = number where test = ? and number = 0";
        handle((order, context) -> {
            transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(status -> sql.update(touch, test));
            sql.update(touch, test);
        });

        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(4);
    }

    @Test
    void aHandlerThatSwallowsThatItsTransactionIsRefusedIsHandledOnItsOwn() {
        handle((order, context) -> {
            try {
                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(
                                status -> sql.update("insert into shared_once values (?, ?)", test, order));
            } catch (RuntimeException e) {
                assertThat(e).hasMessageContaining("shares a transaction");
            }
        });

        assertAllAreHandledOnce();
        assertThat(sql.queryForList("select number from shared_once where test = ?", Integer.class, test))
                .containsExactlyInAnyOrder(1, 2, 3, 4);
    }

    @Test
    void whatIsUndoneToAHandlersOwnSavepointStaysUndone() {
        handle((order, context) -> transaction(TransactionDefinition.PROPAGATION_NESTED)
                .executeWithoutResult(status -> {
                    sql.update("insert into shared_once values (?, ?)", test, order);
                    status.setRollbackOnly();
                }));

        assertAllAreHandledOnce();
        assertThat(transactions()).isEqualTo(1);
        assertThat(sql.queryForList("select number from shared_once where test = ?", Integer.class, test))
                .isEmpty();
    }
}
