// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A node that starts without consuming, on RabbitMQ and PostgreSQL. */
@Timeout(120)
@Tag("once")
class StartWithoutConsumingIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner consuming = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withBean(Shop.class);
    private final ApplicationContextRunner waiting =
            consuming.withPropertyValues("safebunny.listener.auto-startup=false");

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @Test
    void publishesAndLeavesWhatIsThereUntouchedUntilItIsResumed() {
        waiting.run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));
            context.getBean(Bunny.class).publish(new OrderPlaced("2"));
        });
        waiting.run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("3"));
            try (Connection connection = node.amqp().newConnection();
                    Channel channel = connection.createChannel()) {
                Awaitility.await().until(() -> channel.messageCount(node.name + "-OrderPlaced") == 3);
                for (String queue : List.of("OrderPlaced", "dead-letters")) {
                    assertThat(channel.consumerCount(node.name + "-" + queue))
                            .as(queue)
                            .isZero();
                }
            }
            Health health = Healths.part(context, "breakers");
            assertThat(health.getStatus().getCode()).isEqualTo("DEGRADED");
            assertThat(health.getDetails().get("OrderPlaced"))
                    .asString()
                    .contains("not started", "safebunny.listener.auto-startup");
            assertThat(Healths.part(context, "broker").getStatus().getCode()).isEqualTo("UP");
            assertThat(context.getBean(Shop.class).handled).isEmpty();

            Result resumed = context.getBean(BunnyOperations.class)
                    .resume("OrderPlaced", Scope.INSTANCE, "the tables are migrated", "kim");

            assertThat(resumed.note()).isEmpty();
            Awaitility.await().untilAsserted(() -> assertThat(context.getBean(Shop.class).handled)
                    .containsExactly("1", "2", "3"));
            assertThat(Healths.part(context, "breakers").getStatus().getCode()).isEqualTo("UP");
            try (Connection connection = node.amqp().newConnection();
                    Channel channel = connection.createChannel()) {
                Awaitility.await().until(() -> channel.consumerCount(node.name + "-dead-letters") == 1);
            }
        });
    }

    @Test
    void thePausesOfTheStoreBelongToTheOthers() {
        consuming.run(other -> waiting.run(context -> {
            BunnyOperations operations = other.getBean(BunnyOperations.class);
            operations.pause("OrderPlaced", Duration.ofSeconds(15), Scope.NODE, "gateway", "kim");
            assertThat(context.getBean(BunnyOperations.class).paused()).hasSize(1);
            Awaitility.await()
                    .until(() -> context.getBean(BunnyOperations.class).paused().isEmpty());

            context.getBean(Bunny.class).publish(new OrderPlaced("1"));
            Awaitility.await().until(() -> other.getBean(Shop.class).handled.equals(List.of("1")));

            assertThat(Healths.part(context, "breakers").getStatus().getCode()).isEqualTo("DEGRADED");
            assertThat(context.getBean(Shop.class).handled).isEmpty();
        }));
        waiting.run(later ->
                assertThat(Healths.part(later, "breakers").getDetails()).containsOnlyKeys("OrderPlaced"));
    }

    static final class Shop {

        private final List<String> handled = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "${test.node}", prefetch = "1")
        void on(OrderPlaced order) {
            handled.add(order.orderId());
        }
    }
}
