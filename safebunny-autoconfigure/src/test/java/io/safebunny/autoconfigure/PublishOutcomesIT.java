// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static io.safebunny.middleware.PublishOutcome.CONFIRMED;
import static io.safebunny.middleware.PublishOutcome.DROPPED;
import static io.safebunny.middleware.PublishOutcome.FAILED;
import static io.safebunny.middleware.PublishOutcome.STORED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.UnroutableException;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** What the after group of publishing is told, and that it is told once; on RabbitMQ and PostgreSQL. */
@Timeout(180)
@Tag("once")
class PublishOutcomesIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withBean(Told.class)
            .withBean(Shop.class)
            .withPropertyValues(
                    "safebunny.delayed-retry.delays=",
                    "safebunny.retry.max-retries=0",
                    "safebunny.outbox.relay-interval=200ms");

    record Invoiced(String orderId) {}

    /** Nobody consumes it. */
    record Unheard(String orderId) {}

    record One(
            String type,
            @Nullable PublishOutcome outcome,
            @Nullable Throwable failure) {}

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"transactional", "leased", "none"})
    void whatAHandlerPublishesIsToldWhenItIsConfirmedOrDropped(String store) {
        runner.withPropertyValues(
                        "safebunny.store.type=" + (store.equals("none") ? "none" : "jdbc"),
                        "safebunny.store.jdbc.transactional=" + store.equals("transactional"))
                .run(context -> {
                    Told told = told(context);
                    bunny(context).publish(new OrderPlaced("good"));
                    told.expect(1, "OrderPlaced", CONFIRMED);
                    told.expect(1, "Invoiced", CONFIRMED);
                    assertThat(told.whileHandling).isEmpty();

                    bunny(context).publish(new OrderPlaced("bad"));
                    assertThat(told.expect(1, "Invoiced", DROPPED).failure()).hasMessage("bad");
                    settles(context);
                    assertThat(told.all).hasSize(4);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheBrokerRefusesStaysInTheRecordAndIsToldOnce(boolean transactional) {
        runner.withPropertyValues("safebunny.store.jdbc.transactional=" + transactional, "safebunny.dedup.lease=1s")
                .run(context -> {
                    bunny(context).publish(new OrderPlaced("unheard"));

                    Told told = told(context);
                    assertThat(told.expect(1, "Unheard", STORED).failure()).isInstanceOf(UnroutableException.class);
                    assertThat(told.expect(1, "Invoiced", STORED).failure()).isNull(); // behind it
                    settles(context);
                    assertThat(told.all).hasSize(4);
                });
    }

    @Test
    void whatIsPublishedInATransactionWithinTheHandlerEndsWithIt() {
        runner.run(context -> {
            bunny(context).publish(new OrderPlaced("inner"));

            Told told = told(context);
            told.expect(1, "Unheard", DROPPED);
            told.expect(2, "Invoiced", CONFIRMED);
            settles(context);
            assertThat(told.all).hasSize(4);
        });
    }

    @Test
    void whatTheOutboxStoresIsToldAfterTheTransaction() {
        runner.run(context -> {
            Told told = told(context);
            in(context, status -> {
                bunny(context).publish(new Invoiced("committed"));
                assertThat(told.all).isEmpty();
            });
            told.expect(1, "Invoiced", CONFIRMED);

            in(context, status -> {
                bunny(context).publishAsync(new Invoiced("rolled back")).join();
                status.setRollbackOnly();
            });
            told.expect(1, "Invoiced", DROPPED);

            in(context, status -> {
                Object savepoint = status.createSavepoint();
                bunny(context).publish(new Invoiced("to a savepoint"));
                status.rollbackToSavepoint(savepoint);
                told.expect(2, "Invoiced", DROPPED);
            });

            in(context, status -> bunny(context).publish(new Unheard("refused")));
            assertThat(told.expect(1, "Unheard", STORED).failure()).isInstanceOf(UnroutableException.class);
            settles(context);
            assertThat(told.all).hasSize(4);
        });
    }

    @Test
    void whatIsSentAtOnceIsToldBeforePublishReturns() {
        runner.run(context -> {
            Told told = told(context);
            bunny(context).publish(new Invoiced("1"));
            assertThat(told.all).extracting(One::outcome).containsExactly(CONFIRMED);

            assertThatExceptionOfType(UnroutableException.class)
                    .isThrownBy(() -> bunny(context).publishNow(new Unheard("2")));
            assertThat(told.all).extracting(One::outcome).containsExactly(CONFIRMED, FAILED);

            bunny(context).publish(new Unheard("3"), PublishOptions.none().droppedIfUnheard());
            CompletableFuture<Published> unheard = bunny(context).publishAsync(new Unheard("4"));
            told.expect(1, "Unheard", CONFIRMED);
            told.expect(2, "Unheard", FAILED);
            assertThat(told.all).hasSize(4);
            assertThat(unheard).failsWithin(Duration.ofSeconds(10));
        });
    }

    private static void in(AssertableApplicationContext context, Consumer<TransactionStatus> work) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(work);
    }

    private static Bunny bunny(AssertableApplicationContext context) {
        return context.getBean(Bunny.class);
    }

    private static Told told(AssertableApplicationContext context) {
        return context.getBean(Told.class);
    }

    /** The message goes the way of all before it, and the relay and the sweeper look a few times. */
    private static void settles(AssertableApplicationContext context) {
        Told told = told(context);
        int before = told.all.size();
        Awaitility.await().during(Duration.ofSeconds(2)).until(() -> told.all.size() == before);
    }

    static final class Told implements PublishMiddleware {

        final List<One> all = new CopyOnWriteArrayList<>();
        final List<One> whileHandling = new CopyOnWriteArrayList<>();
        volatile boolean handling;

        @Override
        public Group group() {
            return Group.AFTER;
        }

        @Override
        public void invoke(PublishContext context, Next next) throws Exception {
            One one = new One(context.type(), context.outcome(), context.failure());
            all.add(one);
            if (handling && one.type().equals("Invoiced")) {
                whileHandling.add(one);
            }
            next.run();
        }

        One expect(int count, String type, PublishOutcome outcome) {
            Awaitility.await().untilAsserted(() -> assertThat(all)
                    .filteredOn(one -> one.type().equals(type) && one.outcome() == outcome)
                    .hasSize(count));
            return all.stream()
                    .filter(one -> one.type().equals(type) && one.outcome() == outcome)
                    .toList()
                    .get(count - 1);
        }
    }

    static class Shop {

        private final Bunny bunny;
        private final Told told;
        private final PlatformTransactionManager transactions;

        Shop(Bunny bunny, Told told, PlatformTransactionManager transactions) {
            this.bunny = bunny;
            this.told = told;
            this.transactions = transactions;
        }

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order, MessageContext context) {
            told.handling = true;
            switch (order.orderId()) {
                case "inner" -> {
                    TransactionTemplate own = new TransactionTemplate(transactions);
                    own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                    own.executeWithoutResult(status -> {
                        bunny.publish(new Unheard("inner"));
                        status.setRollbackOnly();
                    });
                    own.executeWithoutResult(status -> bunny.publish(new Invoiced("inner")));
                    bunny.publish(new Invoiced("outer"));
                }
                case "unheard" -> {
                    bunny.publish(new Invoiced("before"));
                    bunny.publish(new Unheard("unheard"));
                    bunny.publish(new Invoiced("behind"));
                }
                default -> bunny.publish(new Invoiced(order.orderId()));
            }
            told.handling = false;
            if (order.orderId().equals("bad")) {
                throw new IllegalStateException("bad");
            }
        }

        @BunnyHandler(from = "${test.node}")
        void on(Invoiced invoiced) {}
    }
}
