// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.MessageContext;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Instances start, and somebody changes the tables, while 20 messages at once are in the middle of a slow step. Nobody waits long,
 * nothing is lost, nothing is done twice.
 */
@Timeout(150)
abstract class LiveSchemaRules {

    private static final int AT_ONCE = 20;
    private static final int MESSAGES = 200;
    private static final Duration STEP = Duration.ofMillis(600);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final AtomicInteger charges = new AtomicInteger();
    private final AtomicBoolean done = new AtomicBoolean();
    private final JdbcTemplate sql = new JdbcTemplate(database().anotherPool());

    private final SafeBunnyEngine desk = engine(parts(SafeBunnyOptions.of("desk")));

    private record Order(String id) {}

    abstract TestDatabase database();

    /** SQL that keeps others from writing messages, and lets them read. */
    abstract String locksMessages();

    /** SQL that ends it after the transaction has. */
    abstract String unlocksMessages();

    @BeforeEach
    void createPayments() {
        sql.execute("create table if not exists live_payment (receipt varchar(100) primary key)");
        sql.update("delete from live_payment");
    }

    @AfterEach
    void stop() {
        done.set(true);
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private ApplicationContextRunner instance() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JdbcSchemaAutoConfiguration.class,
                        JdbcStoreAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop-" + UUID.randomUUID()))
                .withPropertyValues(
                        "spring.datasource.url=" + database().url(),
                        "spring.datasource.hikari.maximum-pool-size=" + (AT_ONCE + AT_ONCE / 3),
                        "safebunny.store.jdbc.initialize-schema=always");
    }

    private SafeBunnyEngine engine(SafeBunnyParts.Builder parts) {
        SafeBunnyEngine engine = new SafeBunnyEngine(parts.build());
        engines.add(engine);
        return engine;
    }

    private SafeBunnyParts.Builder parts(SafeBunnyOptions options) {
        return SafeBunnyParts.builder(options, new MemoryTransport(broker, TopologyOptions.defaults()), timeline);
    }

    private HandlerDefinition charging(JdbcTemplate application) {
        return new HandlerDefinition(
                "test.on(Order)",
                "Order",
                Order.class,
                List.of("desk"),
                AT_ONCE,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, message) -> {
                    application.update("insert into live_payment values (?)", ((Order) payload).id());
                    String unused = charge(message);
                });
    }

    private String charge(MessageContext context) throws InterruptedException {
        return context.once("charge", String.class, () -> {
            timeline.sleep(STEP);
            return "receipt-" + charges.incrementAndGet();
        });
    }

    /** An instance, and a publisher with that many orders for it. */
    private SafeBunnyEngine start(ApplicationContext context, int orders) {
        JdbcTemplate application = new JdbcTemplate(context.getBean(DataSource.class));
        SafeBunnyEngine shop =
                engine(parts(context.getBean(SafeBunnyOptions.class)).store(context.getBean(MessageStore.class)));
        shop.start(List.of(charging(application)));
        desk.start(List.of());
        publish(orders);
        return shop;
    }

    private void publish(int orders) {
        for (int i = 0; i < orders; i++) {
            Published unused = desk.bunny().publish(new Order(UUID.randomUUID().toString()));
        }
    }

    /** @param disturbance happens while messages are being handled */
    private void underLoad(Callable<Void> disturbance) {
        instance().run(context -> {
            SafeBunnyEngine unused = start(context, MESSAGES);
            Awaitility.await().until(() -> charges.get() > AT_ONCE);
            Future<Void> disturbing = threads.submit(disturbance);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .until(
                            () -> sql.queryForObject("select count(*) from live_payment", Integer.class),
                            rows -> rows == MESSAGES);
            done.set(true);
            assertThat(disturbing.get()).isNull();
            assertThat(charges).hasValue(MESSAGES);
        });
    }

    private void soon(String what, Runnable action) {
        long began = timeline.nanoTime();
        action.run();
        assertThat(Duration.ofNanos(timeline.nanoTime() - began)).as(what).isLessThan(LONGEST_WAIT);
    }

    @Test
    void instancesStart() {
        underLoad(() -> {
            do {
                soon("start", () -> instance()
                        .run(context -> assertThat(context).hasNotFailed()));
            } while (!done.get());
            return null;
        });
    }

    @Test
    void healthTellsWhileWritesTimeOutAlthoughReadsAreAnswered() {
        instance().withPropertyValues("safebunny.store.jdbc.timeout=1s").run(context -> {
            SafeBunnyEngine shop = start(context, AT_ONCE);
            Awaitility.await().until(() -> charges.get() > 0);
            assertThat(shop.storeOutage()).isNull();
            try (Connection somebody = database().anotherPool().getConnection();
                    Statement statement = somebody.createStatement()) {
                somebody.setAutoCommit(false);
                boolean unused = statement.execute(locksMessages());
                publish(AT_ONCE);
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .during(Duration.ofSeconds(3))
                        .until(() -> shop.storeOutage() != null);
                somebody.rollback();
                unused = statement.execute(unlocksMessages());
                somebody.setAutoCommit(true);
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> charges.get() == 2 * AT_ONCE && shop.storeOutage() == null);
        });
    }

    @ParameterizedTest
    @MethodSource("statements")
    void somebodyChangesATable(String change, String back) {
        underLoad(() -> {
            do {
                soon(change, () -> sql.execute(change));
                try {
                    timeline.sleep(Duration.ofSeconds(1));
                } finally {
                    soon(back, () -> sql.execute(back));
                }
            } while (!done.get());
            return null;
        });
    }
}
