// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Four messages that wait are one batch, which inserts in bulk; whatever happens to one of them, or to all, each is handled once. */
@Timeout(60)
abstract class BatchRules {

    private static final int MESSAGES = 4;

    final JdbcTemplate sql = new JdbcTemplate(database().pool());
    private final SystemTimeline timeline = new SystemTimeline("batch-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new CopyOnWriteArrayList<>();
    private final String test = UUID.randomUUID().toString();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<Integer> shipped = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private @Nullable SafeBunnyEngine shop;
    private boolean losesAcknowledgements;
    /** Of the first instance. */
    private final MemoryTransport first = transport();
    /** Starts another instance. */
    private Runnable second = () -> {};

    private record Order(int number) {}

    private record Shipped(int number) {}

    @FunctionalInterface
    interface Work {
        void run(String batch) throws Exception;
    }

    abstract TestDatabase database();

    /** In the handlers' transactions, unless overridden. */
    MessageStore store(JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(
                database().pool(), new JdbcTransactionManager(database().pool()), options);
    }

    /** Whether a handler's writes are undone with its batch. */
    boolean isTransactional() {
        return true;
    }

    @BeforeEach
    void createTable() {
        sql.execute("create table if not exists batch_effect (test varchar(100) not null, number int not null)");
    }

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private static HandlerDefinition handler(Class<?> type, String from, Grouping grouping, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "test.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of(from),
                2 * MESSAGES,
                grouping,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                invoker);
    }

    private SafeBunnyEngine start(SafeBunnyParts.Builder parts, HandlerDefinition handler) {
        SafeBunnyEngine engine = new SafeBunnyEngine(parts.callbacks(threads).build());
        engines.add(engine);
        engine.start(List.of(handler));
        return engine;
    }

    private MemoryTransport transport() {
        return new MemoryTransport(broker, TopologyOptions.defaults());
    }

    final void handle(Work work) {
        handle(
                desk -> IntStream.rangeClosed(1, MESSAGES).forEach(number -> {
                    Published unused = desk.publish(new Order(number));
                }),
                work);
    }

    /** The work is done, and then each order leaves an effect and publishes. Waits until all is done. */
    private void handle(Consumer<Bunny> orders, Work work) {
        SafeBunnyEngine desk = start(
                SafeBunnyParts.builder(SafeBunnyOptions.of("desk"), transport(), timeline)
                        .store(new MemoryMessageStore(timeline, Duration.ofHours(1))),
                handler(
                        Shipped.class,
                        "shop",
                        Grouping.NONE,
                        (payload, context) -> shipped.add(((Shipped) payload).number())));
        JdbcStoreOptions options = JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1));
        startShop(new GatheringTransport(first, MESSAGES, losesAcknowledgements), options, work);
        second = () -> startShop(transport(), options, work);
        orders.accept(desk.bunny());
        await().until(() -> !calls.isEmpty() && broker.isIdle());
    }

    private void startShop(Transport transport, JdbcStoreOptions options, Work work) {
        shop = start(
                SafeBunnyParts.builder(SafeBunnyOptions.of("shop"), transport, timeline)
                        .store(store(options)),
                handler(Order.class, "desk", Grouping.inBatch(MESSAGES), new HandlerInvoker() {
                    @Override
                    public void invoke(Object payload, MessageContext context) throws Exception {
                        invokeBatch(List.of(payload), List.of(context));
                    }

                    @Override
                    public void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts)
                            throws Exception {
                        ship(payloads.stream().map(Order.class::cast).toList(), contexts, work);
                    }
                }));
    }

    private void ship(List<Order> orders, List<? extends MessageContext> contexts, Work work) throws Exception {
        String batch =
                orders.stream().map(order -> String.valueOf(order.number())).collect(Collectors.joining());
        calls.add(batch);
        if (!isTransactional()) {
            work.run(batch);
        }
        int[][] unused = sql.batchUpdate(
                "insert into batch_effect (test, number) values (?, ?)", orders, MESSAGES, (statement, order) -> {
                    statement.setString(1, test);
                    statement.setInt(2, order.number());
                });
        for (int i = 0; i < orders.size(); i++) {
            Published published = contexts.get(i)
                    .publisher()
                    .publish(new Shipped(orders.get(i).number()));
            assertThat(published.isDropped()).isFalse();
        }
        if (isTransactional()) {
            work.run(batch);
        }
    }

    private List<Integer> effects() {
        return sql.queryForList("select number from batch_effect where test = ?", Integer.class, test);
    }

    final void assertAllAreHandledOnce() {
        assertThat(effects()).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertAllHavePublished();
    }

    final void assertAllHavePublished() {
        assertThat(shipped).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(broker.depth("shop-poison")).isZero();
    }

    final void assertOnlyIsPoison(int number) {
        Integer[] others = IntStream.rangeClosed(1, MESSAGES)
                .filter(each -> each != number)
                .boxed()
                .toArray(Integer[]::new);
        assertThat(effects()).containsExactlyInAnyOrder(others);
        assertThat(shipped).containsExactlyInAnyOrder(others);
        assertThat(broker.depth("shop-poison")).isEqualTo(1);
        assertThat(calls).contains(String.valueOf(number));
    }

    @Test
    void aBatchIsOneCall() {
        handle(batch -> {});

        assertAllAreHandledOnce();
        assertThat(calls).hasSize(1);
    }

    @Test
    void oneThatFailsIsFoundAndTheOthersAreHandledOnce() {
        handle(batch -> {
            if (batch.contains("2")) {
                throw new IllegalStateException("poison");
            }
        });

        assertOnlyIsPoison(2);
    }

    /** The process ends between the commit and the acknowledgements. */
    @Test
    void whatIsDeliveredAgainAfterTheCommitIsADuplicate() {
        losesAcknowledgements = true;
        handle(batch -> {});

        assertAllAreHandledOnce();
        assertThat(calls).hasSize(1);
    }

    @Test
    void duplicatesInABatchAreLeftOut() {
        handle(
                desk -> {
                    for (int i = 0; i < 2; i++) {
                        for (int number = 1; number <= MESSAGES; number++) {
                            Published unused = desk.publish(
                                    new Order(number), PublishOptions.none().withIdempotencyKey("order-" + number));
                        }
                    }
                },
                batch -> {});

        assertAllAreHandledOnce();
    }

    /** It may swallow that it cannot; then the message is not handled without what it meant to do. */
    @Test
    void aListenerOfTheEndCannotPublish() {
        assumeTrue(isTransactional());
        handle(batch -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                try {
                    Published unused = Objects.requireNonNull(shop).bunny().publish(new Shipped(0));
                } catch (InvalidPublicationException e) {
                    refused.add(e.getMessage());
                }
            }
        }));

        assertThat(refused).isNotEmpty().allMatch(text -> text.contains("List<MessageContext>"));
        assertThat(effects()).isEmpty();
        assertThat(shipped).isEmpty();
        assertThat(broker.depth("shop-poison")).isEqualTo(MESSAGES);
    }

    @Test
    void whatAListenerOfTheCommitPublishesIsRefusedAndTold() {
        assumeTrue(isTransactional());
        try (CapturedLogs logs = CapturedLogs.start()) {
            handle(batch -> TransactionSynchronizationManager.registerSynchronization(publishes()));
            assertThat(logs.all()).anyMatch(line -> line.toString().contains("SB-3016"));
        }
        assertAllAreHandledOnce();
    }

    @Test
    void whatAListenerOfTheRollbackPublishesIsRefusedAndTold() {
        assumeTrue(isTransactional());
        try (CapturedLogs logs = CapturedLogs.start()) {
            handle(batch -> {
                TransactionSynchronizationManager.registerSynchronization(publishes());
                if (batch.length() == MESSAGES) {
                    throw new IllegalStateException("only together");
                }
            });
            assertThat(logs.all()).anyMatch(line -> line.toString().contains("SB-3016"));
        }
        assertAllAreHandledOnce();
    }

    /** Spring logs what it throws, and swallows it. */
    private TransactionSynchronization publishes() {
        return new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                Published unused = Objects.requireNonNull(shop).bunny().publish(new Shipped(0));
            }
        };
    }

    /** The call fails, or the messages would be handled without it. */
    @Test
    void whatAListenerOfATransactionWithinTheCallPublishesIsNotLost() {
        TransactionTemplate own =
                new TransactionTemplate(new JdbcTransactionManager(database().pool()));
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        handle(batch -> own.executeWithoutResult(
                status -> TransactionSynchronizationManager.registerSynchronization(publishes())));

        assertThat(shipped).isEmpty();
        assertThat(broker.depth("shop-poison")).isEqualTo(MESSAGES);
    }

    /** Its deliveries go to another instance while its handler runs, which then goes on. */
    @Test
    void whenTheConsumerIsCutOffInTheCallEachIsHandledOnce() {
        List<String> cut = new CopyOnWriteArrayList<>();
        handle(batch -> {
            if (cut.isEmpty()) {
                cut.add(batch);
                first.close();
                second.run();
            }
        });

        await().untilAsserted(this::assertAllAreHandledOnce);
    }
}
