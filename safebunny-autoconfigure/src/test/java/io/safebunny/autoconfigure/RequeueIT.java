// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.MessageContext;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The requeue strategy, {@code delayedRetries = "0s"}: what failed goes to the end of its queue at once; throughput before timing. */
@Timeout(180)
class RequeueIT {

    private static final PostgresServer DATABASE = PostgresServer.start();
    private static final Duration SOON = Duration.ofSeconds(60);

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("safebunny.retry.max-retries=0");

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"quorum", "classic"})
    void whatFailedGoesBehindWhatWaitsAndIsSetAsideAfterItsLastAttempt(String queueType) {
        runner.withBean(Waiting.class)
                .withPropertyValues(
                        "safebunny.topology.queue-type=" + queueType, "safebunny.listener.auto-startup=false")
                .run(context -> {
                    Bunny bunny = context.getBean(Bunny.class);
                    for (String id : List.of("bad", "1", "2", "3")) {
                        bunny.publish(new OrderPlaced(id));
                    }

                    context.getBean(BunnyOperations.class)
                            .resume("OrderPlaced", Scope.INSTANCE, "all are there", "kim");

                    try (PoisonQueue poison = node.poisonQueue()) {
                        GetResponse set = poison.next();
                        assertThat(PoisonQueue.header(set, "sb-poison-reason")).isEqualTo("retries-exhausted");
                        assertThat(PoisonQueue.header(set, "sb-attempt")).isEqualTo("2");
                        assertThat(poison.waiting()).isZero();
                    }
                    assertThat(context.getBean(Waiting.class).runs)
                            .containsExactly("bad/0", "1/0", "2/0", "3/0", "bad/1", "bad/2");
                    assertThat(waiting("OrderPlaced")).isZero();
                });
    }

    /** More often than the broker would deliver a message that is handed back to it (20 times). */
    @ParameterizedTest
    @ValueSource(strings = {"jdbc", "none"})
    void doesNotCountTowardsTheBrokersDeliveryLimit(String store) {
        runner.withBean(Shop.class, () -> new Shop(40))
                .withPropertyValues(
                        "safebunny.store.type=" + store,
                        "safebunny.topology.delivery-limit=20",
                        "safebunny.delayed-retry.delays="
                                + String.join(",", "0s".repeat(40).split("(?<=s)")))
                .run(context -> {
                    context.getBean(Bunny.class).publish(new OrderPlaced("1"));

                    Shop shop = context.getBean(Shop.class);
                    Awaitility.await().atMost(SOON).until(() -> shop.handled.contains("1"));
                    assertThat(shop.attempts.get("1"))
                            .containsExactlyElementsOf(
                                    IntStream.rangeClosed(0, 40).boxed().toList());
                    for (String queue : List.of("OrderPlaced", "poison", "dead-letters")) {
                        assertThat(waiting(queue)).as(queue).isZero();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void attemptsAreExactAcrossInstancesAndEffectsHappenOnce(boolean transactional) {
        ApplicationContextRunner instances = runner.withBean(Shop.class, () -> new Shop(3))
                .withPropertyValues(
                        "safebunny.store.jdbc.transactional=" + transactional,
                        "safebunny.delayed-retry.delays=0s,0s,0s");
        instances.run(one -> instances.run(other -> {
            List<String> ids =
                    IntStream.range(0, 40).mapToObj(Integer::toString).toList();
            ids.forEach(id -> one.getBean(Bunny.class).publish(new OrderPlaced(id)));

            Shop first = one.getBean(Shop.class);
            Shop second = other.getBean(Shop.class);
            Awaitility.await().atMost(SOON).until(() -> first.handled.size() + second.handled.size() >= 40);
            Awaitility.await().atMost(SOON).until(() -> waiting("OrderPlaced") == 0);
            List<String> handled = new ArrayList<>(first.handled);
            handled.addAll(second.handled);
            assertThat(handled).containsExactlyInAnyOrderElementsOf(ids);
            ids.forEach(id -> {
                List<Integer> attempts = new ArrayList<>(first.attempts.getOrDefault(id, List.of()));
                attempts.addAll(second.attempts.getOrDefault(id, List.of()));
                assertThat(attempts).as(id).containsExactlyInAnyOrder(0, 1, 2, 3);
            });
            assertThat(waiting("poison")).isZero();
        }));
    }

    private long waiting(String queue) throws Exception {
        try (Connection connection = node.amqp().newConnection();
                Channel channel = connection.createChannel()) {
            return channel.messageCount(node.name + "-" + queue);
        }
    }

    static final class Waiting {

        private final List<String> runs = new CopyOnWriteArrayList<>();

        @BunnyHandler(
                from = "${test.node}",
                prefetch = "1",
                delayedRetries = {"0s", "0s"})
        void on(OrderPlaced order, MessageContext context) {
            runs.add(order.orderId() + "/" + context.attempt());
            if (order.orderId().equals("bad")) {
                throw new IllegalStateException("bad");
            }
        }
    }

    static final class Shop {

        private final int failures;
        private final Map<String, List<Integer>> attempts = new ConcurrentHashMap<>();
        private final List<String> handled = new CopyOnWriteArrayList<>();

        Shop(int failures) {
            this.failures = failures;
        }

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order, MessageContext context) {
            attempts.computeIfAbsent(order.orderId(), id -> new CopyOnWriteArrayList<>())
                    .add(context.attempt());
            if (context.attempt() < failures) {
                throw new IllegalStateException("not yet");
            }
            handled.add(order.orderId());
        }
    }
}
