// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The only instance of a node goes away and another one starts: what is paused, it can know from PostgreSQL alone. */
@Timeout(120)
@Tag("once")
class PauseRestartIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = node.runner()
            .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
            .withBean(Shop.class);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPausedTypeStaysPausedUntilItIsResumed(boolean transactional) {
        ApplicationContextRunner instances =
                runner.withPropertyValues("safebunny.store.jdbc.transactional=" + transactional);
        AtomicReference<Instant> until = new AtomicReference<>();
        instances.run(context -> {
            BunnyOperations operations = context.getBean(BunnyOperations.class);
            Result paused = operations.pause("OrderPlaced", Duration.ofMinutes(10), Scope.NODE, "gateway", "kim");
            assertThat(paused.stored()).as(paused.note()).isTrue();
            until.set(operations.paused().get(0).until());
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));
        });
        instances.run(context -> {
            BunnyOperations operations = context.getBean(BunnyOperations.class);
            assertThat(operations.paused()).singleElement().satisfies(pause -> assertThat(pause)
                    .isEqualTo(new Pause(
                            "OrderPlaced",
                            pause.since(),
                            Objects.requireNonNull(until.get()),
                            Scope.NODE,
                            "gateway",
                            "kim")));
            context.getBean(Bunny.class).publish(new OrderPlaced("2"));
            try (PoisonQueue queue = new PoisonQueue(node.amqp(), node.name + "-OrderPlaced")) {
                Awaitility.await().until(() -> queue.waiting() == 2);
            }
            assertThat(context.getBean(Shop.class).handled).isEmpty();
            operations.resume("OrderPlaced", Scope.NODE, "mended", "kim");
            Awaitility.await().until(() -> context.getBean(Shop.class).handled.size() == 2);
        });
        instances.run(context -> {
            assertThat(context.getBean(BunnyOperations.class).paused()).isEmpty();
            context.getBean(Bunny.class).publish(new OrderPlaced("3"));
            Awaitility.await().until(() -> context.getBean(Shop.class).handled.equals(List.of("3")));
        });
    }

    static final class Shop {

        private final List<String> handled = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order) {
            handled.add(order.orderId());
        }
    }
}
