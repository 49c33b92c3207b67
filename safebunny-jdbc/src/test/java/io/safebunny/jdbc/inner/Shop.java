// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A node with one handler, its database, and a desk that sends it an order and writes down what the node publishes. */
final class Shop implements AutoCloseable {

    record Order(String id) {}

    record Told(String what) {}

    /** What the handler does. */
    @FunctionalInterface
    interface Work {
        void run(int attempt, MessageContext context) throws Exception;
    }

    private final TestDatabase database;
    private final PlatformTransactionManager manager;
    private final SystemTimeline timeline = new SystemTimeline("shop-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final SafeBunnyEngine desk;
    private final SafeBunnyEngine node;
    private volatile String started = "";
    private final String id = UUID.randomUUID().toString();
    final MemoryBroker broker = new MemoryBroker(timeline, threads);
    final AtomicInteger attempts = new AtomicInteger();
    final JdbcTemplate sql;
    /** In the order of their arrival. */
    final List<String> sent = new CopyOnWriteArrayList<>();

    final List<String> ids = new CopyOnWriteArrayList<>();

    Shop(TestDatabase database, PlatformTransactionManager manager, StoreKind store, boolean hasOutbox) {
        this.database = database;
        this.manager = manager;
        this.sql = new JdbcTemplate(database.pool());
        sql.execute("create table if not exists shop_note (shop varchar(100), what varchar(100))");
        SafeBunnyParts.Builder parts = parts("shop").store(store.open(database, manager, timeline));
        if (hasOutbox) {
            parts.outbox(new JdbcOutbox(
                    database.pool(),
                    JdbcOutboxOptions.of(TestDatabase.newNode()),
                    timeline,
                    threads,
                    new SimpleMeterRegistry()));
        }
        this.desk = engine(parts("desk"));
        this.node = engine(parts);
        desk.start(List.of(handler(Told.class, "shop", 0, (payload, context) -> {
            sent.add(((Told) payload).what());
            ids.add(context.messageId());
        })));
    }

    private SafeBunnyParts.Builder parts(String name) {
        return SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .callbacks(threads);
    }

    private SafeBunnyEngine engine(SafeBunnyParts.Builder parts) {
        SafeBunnyEngine engine = new SafeBunnyEngine(parts.build());
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

    /** Orders, and waits until the order is handled or set aside and nothing is on its way. */
    void order(int retries, Work work) {
        node.start(List.of(handler(
                Order.class, "desk", retries, (payload, context) -> work.run(attempts.incrementAndGet(), context))));
        order();
        await().until(() -> attempts.get() > 0 && broker.isIdle());
    }

    private void order() {
        started = desk.bunny().publish(new Order(id)).correlationId();
    }

    /** The same with a saga, whose timeouts may be on their way. */
    void orderWith(Object saga) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("saga", saga);
        node.start(
                List.of(),
                new SagaScanner(
                                beans,
                                new HandlerDefaults(
                                        10,
                                        new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0),
                                        RetryStrategy.none()),
                                null)
                        .sagas());
        order();
        await().until(() -> setAside() > 0 || !sagasOfTheOrder("trip").isEmpty());
    }

    List<SagaView> sagasOfTheOrder(String saga) {
        return node.get(Sagas.class).find(saga, started).stream().toList();
    }

    void awaitSent(String... expected) {
        await().untilAsserted(() -> assertThat(sent).containsExactly(expected));
    }

    Bunny bunny() {
        return node.bunny();
    }

    void tell(String what) {
        Published unused = bunny().publish(new Told(what));
    }

    void tellNow(String what) {
        Published unused = bunny().publishNow(new Told(what), PublishOptions.none());
    }

    int setAside() {
        return broker.depth("shop-poison");
    }

    // ---- the application's database

    TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    TransactionTemplate joining() {
        return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    TransactionTemplate ofItsOwn() {
        return transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    TransactionTemplate nested() {
        return transaction(TransactionDefinition.PROPAGATION_NESTED);
    }

    void note(String what) {
        sql.update("insert into shop_note values (?, ?)", id, what);
    }

    List<String> notes() {
        return new JdbcTemplate(database.anotherPool())
                .queryForList("select what from shop_note where shop = ? order by what", String.class, id);
    }

    /** Runs the action when the transaction that is open has ended, as event listeners do. */
    static void whenEnded(int status, Runnable action) {
        register(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int how) {
                if (how == status) {
                    action.run();
                }
            }
        });
    }

    static void register(TransactionSynchronization synchronization) {
        TransactionSynchronizationManager.registerSynchronization(synchronization);
    }

    @Override
    public void close() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }
}
