// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.Ordering;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Messages come one by one while others of their key run from the database: each takes effect once, and in order. */
@Timeout(120)
abstract class OrderedRules {

    private static final int KEYS = 4;
    private static final int MESSAGES = 25;
    private static final Duration RETRY = Duration.ofMillis(150);

    private final JdbcTemplate sql = new JdbcTemplate(database().pool());
    private final SystemTimeline timeline = new SystemTimeline("ordered-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new CopyOnWriteArrayList<>();
    private final String test = UUID.randomUUID().toString();

    private record Change(String item, int number) {}

    abstract TestDatabase database();

    /** In the handlers' transactions, unless overridden. */
    MessageStore store(JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(
                database().pool(), new JdbcTransactionManager(database().pool()), options);
    }

    @BeforeEach
    void createTable() {
        sql.execute(
                "create table if not exists ordered_effect (test varchar(100) not null, item varchar(100) not null, number int not null, at bigint not null)");
    }

    @AfterEach
    void stop() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    @Test
    void keepsTheOrderOfEachKeyWhileSomeFail() {
        MessageStore store = store(JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));
        start("shop", store, this::change);
        SafeBunnyEngine desk =
                start("desk", new MemoryMessageStore(timeline, Duration.ofHours(1)), (payload, context) -> {});
        for (int number = 0; number < MESSAGES; number++) {
            for (int key = 0; key < KEYS; key++) {
                String item = test + '-' + key;
                Published unused = desk.bunny()
                        .publish(new Change(item, number), PublishOptions.none().withCorrelationId(item));
            }
        }

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(effects("")).hasSize(KEYS * MESSAGES));

        for (int key = 0; key < KEYS; key++) {
            assertThat(effects(test + '-' + key))
                    .containsExactlyElementsOf(
                            IntStream.range(0, MESSAGES).boxed().toList());
        }
        await().untilAsserted(() -> assertThat(
                        store.findListed(new ListingQuery(LaneDocument.KIND, LaneDocument.DUE, null, null, 100)))
                .as("lanes in which something waits")
                .isEmpty());
    }

    private List<Integer> effects(String item) {
        return sql.queryForList(
                "select number from ordered_effect where test = ? and item like ? order by at",
                Integer.class,
                test,
                item + '%');
    }

    /** Every fifth fails at first, each key at another number. */
    private void change(Object payload, MessageContext context) {
        Change change = (Change) payload;
        int written = sql.update(
                "insert into ordered_effect (test, item, number, at) values (?, ?, ?, ?)",
                test,
                change.item(),
                change.number(),
                timeline.nanoTime());
        assertThat(written).isEqualTo(1);
        int key = change.item().charAt(change.item().length() - 1) - '0';
        if (context.attempt() == 0 && (change.number() + key) % 5 == 0) {
            if (!isTransactional()) {
                int unused = sql.update(
                        "delete from ordered_effect where item = ? and number = ?", change.item(), change.number());
            }
            throw new IllegalStateException("no stock");
        }
    }

    /** Whether a handler's writes are undone when it fails. */
    boolean isTransactional() {
        return true;
    }

    private SafeBunnyEngine start(String node, MessageStore store, HandlerInvoker invoker) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(node), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .callbacks(threads)
                .build());
        engines.add(engine);
        engine.start(
                node.equals("desk")
                        ? List.of()
                        : List.of(new HandlerDefinition(
                                        "shop.on(Change)",
                                        "Change",
                                        Change.class,
                                        List.of("desk"),
                                        1,
                                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(3, RETRY)),
                                        invoker)
                                .ordered(Ordering.HOLD)));
        return engine;
    }
}
