// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.MessageContext;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A backlog of messages for the handler from the guide, which inserts a row too. Pool, store and prefetch have the defaults of
 * Boot and SafeBunny.
 */
@Timeout(60)
abstract class BacklogRules {

    private static final int PREFETCH = 10;

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final AtomicInteger charges = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();

    private record Order(String id) {}

    private record Refund(String id) {}

    abstract String url();

    /** Number of waiting messages. */
    abstract int backlog();

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    final ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JdbcSchemaAutoConfiguration.class,
                        JdbcStoreAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class))
                .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop-" + UUID.randomUUID()))
                .withPropertyValues("spring.datasource.url=" + url(), "safebunny.store.jdbc.initialize-schema=always");
    }

    private SafeBunnyEngine engine(SafeBunnyOptions options, @Nullable MessageStore store) {
        SafeBunnyEngine engine = new SafeBunnyEngine(
                SafeBunnyParts.builder(options, new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                        .store(store)
                        .build());
        engines.add(engine);
        return engine;
    }

    private void shop(ApplicationContext context, List<Class<?>> types) {
        JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));
        sql.execute("create table if not exists payment (id varchar(100) primary key)");
        sql.update("delete from payment");
        engine(context.getBean(SafeBunnyOptions.class), context.getBean(MessageStore.class))
                .start(types.stream().map(type -> charging(type, sql)).toList());
    }

    private HandlerDefinition charging(Class<?> type, JdbcTemplate sql) {
        return new HandlerDefinition(
                "test.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of("desk"),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, message) -> {
                    runs.incrementAndGet();
                    sql.update("insert into payment values (?)", charge(message));
                });
    }

    private String charge(MessageContext context) {
        return context.once("charge", String.class, () -> "receipt-" + charges.incrementAndGet());
    }

    /** Publishes from a separate node, alternating between the types. */
    private void publish(int messages, List<Class<?>> types) {
        SafeBunnyEngine desk = engine(SafeBunnyOptions.of("desk"), null);
        desk.start(List.of());
        for (int i = 0; i < messages; i++) {
            Object payload = types.get(i % types.size()) == Order.class ? new Order("o-" + i) : new Refund("r-" + i);
            Published unused = desk.bunny().publish(payload);
        }
    }

    private void awaitAllCharged(ApplicationContext context, int messages) {
        JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));
        Awaitility.await()
                .atMost(Duration.ofSeconds(45))
                .until(
                        () -> sql.queryForObject("select count(*) from payment", Integer.class),
                        rows -> rows == messages);
        assertThat(charges).hasValue(messages);
        assertThat(runs).hasValue(messages);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isHandledWithTheDefaults(boolean transactional) {
        runner().withPropertyValues("safebunny.store.jdbc.transactional=" + transactional)
                .run(context -> {
                    shop(context, List.of(Order.class));
                    publish(backlog(), List.of(Order.class));
                    awaitAllCharged(context, backlog());
                });
    }

    @Test
    void ofTwoQueuesIsHandledWithAPoolOfTwo() {
        runner().withPropertyValues("spring.datasource.hikari.maximum-pool-size=2")
                .run(context -> {
                    shop(context, List.of(Order.class, Refund.class));
                    publish(200, List.of(Order.class, Refund.class));
                    awaitAllCharged(context, 200);
                });
    }

    /** Takes connections from the pool, as requests served by the application at the same time do. */
    @Test
    void waitsWhileOthersHoldAllConnections() {
        runner().run(context -> {
            shop(context, List.of(Order.class));
            DataSource pool = context.getBean(DataSource.class);
            List<Connection> held = new ArrayList<>();
            try {
                for (int i = 0; i < 10; i++) {
                    held.add(pool.getConnection());
                }
                publish(100, List.of(Order.class));
                Awaitility.await().during(Duration.ofMillis(500)).until(() -> runs.get() == 0);
            } finally {
                for (Connection connection : held) {
                    connection.close();
                }
            }
            awaitAllCharged(context, 100);
        });
    }
}
