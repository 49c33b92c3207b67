// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.test.database.PostgresServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Nobody consumes what a handler publishes, until somebody does. */
@Tag("once")
class UnheardPublicationIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);

    private ApplicationContextRunner runner(boolean transactional) {
        return node.runner()
                .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
                .withPropertyValues("safebunny.store.jdbc.transactional=" + transactional, "safebunny.dedup.lease=1s");
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waitsInTheRecordOfItsMessageWhichIsHandledAndNotPoison(boolean transactional) {
        runner(transactional).withBean(Handler.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("42"));
            Awaitility.await().untilAsserted(() -> assertThat(node.states()).containsExactly("COMPLETED"));
            Awaitility.await().untilAsserted(() -> assertThat(waiting(context.getBean(MeterRegistry.class)))
                    .isEqualTo(1));

            try (PoisonQueue poison = node.poisonQueue()) {
                runner(transactional)
                        .withBean(Listener.class)
                        .withPropertyValues("safebunny.node=" + node.name + "-listener")
                        .run(listening -> {
                            assertThat(listening.getBean(Listener.class).heard.next())
                                    .isEqualTo(new Shipped("42"));
                            Awaitility.await().untilAsserted(() -> assertThat(node.states())
                                    .containsExactly("DISPATCHED"));
                            assertThat(listening.getBean(Listener.class).heard.waiting())
                                    .isZero();
                        });
                assertThat(poison.waiting()).isZero();
            }
            assertThat(waiting(context.getBean(MeterRegistry.class))).isZero();
            assertThat(context.getBean(Handler.class).runs).hasValue(1);
        });
    }

    private static double waiting(MeterRegistry meters) {
        return meters.get("safebunny.dispatch.waiting").gauge().value();
    }

    record Shipped(String orderId) {}

    static class Handler {

        final AtomicInteger runs = new AtomicInteger();
        private final Bunny bunny;

        Handler(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order) {
            runs.incrementAndGet();
            bunny.publish(new Shipped(order.orderId()));
        }
    }

    static class Listener {

        final Received<Shipped> heard = new Received<>();

        @BunnyHandler(from = "${test.node}")
        void on(Shipped shipped) {
            heard.add(shipped);
        }
    }
}
