// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A handler publishes as a second node, whose outbox is in the database of the handler's transaction. */
@Timeout(60)
class BridgeInTransactionTest {

    private final DataSource database = TestDatabase.H2.pool();
    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final MessageStore store = new TransactionalJdbcMessageStore(
            database,
            new JdbcTransactionManager(database),
            JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));
    private final JdbcOutbox outbox = new JdbcOutbox(
            database,
            JdbcOutboxOptions.of(TestDatabase.newNode()).withRelay(Duration.ofMillis(100), Duration.ofSeconds(10)),
            timeline,
            threads,
            new SimpleMeterRegistry());
    private final SafeBunnyEngine shop = engine("shop", store, null);
    private final SafeBunnyEngine gateway = engine("gateway", null, outbox);

    private record Order(String id) {}

    private record Passed(int run) {}

    private SafeBunnyEngine engine(String node, @Nullable MessageStore remembering, @Nullable Outbox storing) {
        MemoryTransport transport =
                new MemoryTransport(new MemoryBroker(timeline, threads), TopologyOptions.defaults());
        return new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(node), transport, timeline)
                .store(remembering)
                .outbox(storing)
                .build());
    }

    private static HandlerDefinition handler(Class<?> type, String from, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "test.on(%s)".formatted(type.getSimpleName()),
                type.getSimpleName(),
                type,
                List.of(from),
                1,
                RecoveryPolicy.of(RetryStrategy.of(1, Duration.ofMillis(1)), RetryStrategy.none()),
                invoker);
    }

    @AfterEach
    void stop() {
        shop.stop(Duration.ofSeconds(5));
        gateway.stop(Duration.ofSeconds(5));
        threads.shutdownNow();
        timeline.close();
    }

    @Test
    void whatTheOtherPublishesIsPartOfTheHandlersTransaction() throws Exception {
        gateway.start(List.of(handler(Passed.class, "gateway", (payload, context) -> received.add(payload))));
        shop.start(List.of(handler(Order.class, "shop", (payload, context) -> {
            int run = runs.incrementAndGet();
            Published unused = gateway.bunny().publish(new Passed(run));
            if (run == 1) {
                throw new IllegalStateException("the first time");
            }
        })));
        Published unused = shop.bunny().publish(new Order("o-1"));

        assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo(new Passed(2));
        assertThat(received).isEmpty();
    }
}
