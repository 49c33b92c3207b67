// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.test.database.PostgresServer;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Two instances of a node that handles messages in order, on a real broker and PostgreSQL, while heads fail, one is poison, and an instance goes.
 * Where the type is divided, nobody says who listens to which shard.
 */
@Timeout(600)
class OrderedHandlerIT {

    private static final PostgresServer DATABASE = PostgresServer.start();
    private static final int KEYS = 50;
    private static final int EACH = 20;
    /** The message that is poison until it is repaired, of one key; those behind it wait. */
    private static final int POISON = 10;

    private static final String POISONED_KEY = "order-7";

    private final StoreNode node = new StoreNode(DATABASE);
    private final AtomicBoolean isRepaired = new AtomicBoolean();
    private final ApplicationContextRunner runner = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues(
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=200ms,300ms",
                    "safebunny.dedup.lease=2s")
            .withBean(AtomicBoolean.class, () -> isRepaired)
            .withBean(Ledger.class);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BeforeEach
    void emptyLedger() {
        node.sql().execute("create table if not exists ledger (id bigserial primary key, order_id text, number int)");
        node.sql().execute("truncate ledger");
    }

    enum End {
        /** As in a rolling deployment. */
        CLOSED,
        /** Its connections are cut while it works, and it goes on with what is stored. */
        CUT_OFF
    }

    @Tag("once")
    @ParameterizedTest
    @EnumSource
    void losesDoublesAndInvertsNothing(End end) {
        check(runner, end);
    }

    @ParameterizedTest
    @EnumSource
    void losesDoublesAndInvertsNothingInShards(End end) {
        check(runner.withPropertyValues("test.shards=4"), end);
    }

    private void check(ApplicationContextRunner runner, End end) {
        runner.run(first -> runner.run(second -> {
            Bunny bunny = second.getBean(Bunny.class);
            CompletableFuture<Void> published = CompletableFuture.runAsync(() -> publishAll(bunny));
            Awaitility.await().until(() -> effects() > KEYS * 2);
            end(first, end);
            published.join();

            int withoutHeld = KEYS * EACH - (EACH - POISON);
            Awaitility.await().atMost(Duration.ofMinutes(4)).until(() -> effects() >= withoutHeld);
            PoisonMessages poison = second.getBean(PoisonMessages.class);
            List<PoisonedMessage> copies = Awaitility.await()
                    .until(() -> poison.list(PoisonFilter.all()).messages(), found -> !found.isEmpty());
            assertThat(copies).singleElement().satisfies(copy -> {
                assertThat(copy.verdict()).isEqualTo(Verdict.RUN);
                assertThat(copy.queue()).isEqualTo(node.name + "-OrderChanged.in");
            });
            assertThat(numbersOf(POISONED_KEY)).containsExactlyElementsOf(upTo(POISON));

            isRepaired.set(true);
            assertThat(poison.replay(PoisonRequest.of(PoisonFilter.all(), "test", "repaired"))
                            .await(Duration.ofSeconds(20))
                            .moved())
                    .isEqualTo(1);
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> effects() >= KEYS * EACH);

            for (int key = 0; key < KEYS; key++) {
                assertThat(numbersOf("order-" + key)).as("order-" + key).containsExactlyElementsOf(upTo(EACH));
            }
            Awaitility.await().untilAsserted(() -> assertThat(node.states()).containsOnly("DISPATCHED"));
            assertThat(poison.list(PoisonFilter.all()).messages()).isEmpty();
        }));
    }

    private static void end(AssertableApplicationContext instance, End end) {
        if (end == End.CLOSED) {
            instance.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .close();
        } else {
            instance.getBean(Transport.class).close();
        }
    }

    /** Each message is the start of something else, so that its key is not its correlation id. */
    private static void publishAll(Bunny bunny) {
        for (int number = 0; number < EACH; number++) {
            for (int key = 0; key < KEYS; key++) {
                bunny.publish(new OrderChanged("order-" + key, number), PublishOptions.none());
            }
        }
    }

    private int effects() {
        return node.count("select count(*) from ledger");
    }

    private List<Integer> numbersOf(String order) {
        return node.sql()
                .queryForList("select number from ledger where order_id = ? order by id", Integer.class, order);
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    @BunnyMessage(orderBy = "orderId")
    public record OrderChanged(String orderId, int number) {}

    static final class Ledger {

        private final JdbcTemplate sql;
        private final AtomicBoolean isRepaired;

        Ledger(DataSource database, AtomicBoolean isRepaired) {
            this.sql = new JdbcTemplate(database);
            this.isRepaired = isRepaired;
        }

        @BunnyHandler(from = "${test.node}", ordered = true, shards = "${test.shards:}")
        void on(OrderChanged change, MessageContext context) {
            sql.update("insert into ledger (order_id, number) values (?, ?)", change.orderId(), change.number());
            if (change.number() == 5 && change.orderId().hashCode() % 5 == 0 && context.attempt() < 2) {
                throw new IllegalStateException("locked");
            }
            if (change.number() == POISON && change.orderId().equals(POISONED_KEY) && !isRepaired.get()) {
                throw new PoisonMessageException("no such order");
            }
        }
    }
}
