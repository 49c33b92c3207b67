// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.PoisonMessageException;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.test.database.PostgresServer;
import io.safebunny.test.upgrade.UpgradeCheck;
import io.safebunny.test.upgrade.UpgradeFinding.Kind;
import io.safebunny.upgrade.UpgradeSamples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A sample of what is on a real broker and in PostgreSQL, and the versions that read it or do not. */
@Tag("once")
@SuppressWarnings("SameNameButDifferent") // each saga has a state of its own
class UpgradeIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner =
            node.runner().withPropertyValues("safebunny.retry.max-retries=0", "safebunny.delayed-retry.delays=");

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BunnyMessage("OrderPlaced")
    record Placed(String order, long cents) {}

    @BunnyMessage("OrderPlaced")
    record PlacedInEuros(String order, String euros) {}

    @BunnyMessage("Ship")
    record Ship(String order) {}

    static class Orders {
        @BunnyHandler(from = "${test.node}")
        void on(Placed order) {
            throw new PoisonMessageException("closed");
        }
    }

    static class OrdersInEuros {
        @BunnyHandler(from = "${test.node}")
        void on(PlacedInEuros order) {}
    }

    @BunnySaga(name = "Shipping")
    static class Shipping {
        record State(String order, int parcels) {}

        @Starts
        @BunnyHandler(from = "${test.node}")
        State on(Ship ship, SagaContext saga) {
            saga.timeout("late", Duration.ofDays(3));
            return new State(ship.order(), 2);
        }

        @OnTimeout("late")
        void late(State state) {}
    }

    @BunnySaga(name = "Shipping")
    static class ShippingWithoutTimeout {
        record State(String order, int parcels) {}

        @Starts
        @BunnyHandler(from = "${test.node}")
        State on(Ship ship) {
            return new State(ship.order(), 2);
        }
    }

    @Test
    void saysWhichVersionReadsWhatIsStored(@TempDir Path folder) {
        Path file = folder.resolve("sample.json");
        runner.withBean(Orders.class).withBean(Shipping.class).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            for (int i = 0; i < 50; i++) {
                bunny.publish(new Placed("o-4711", 1999));
            }
            bunny.publish(new Ship("o-4711"));
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                assertThat(poison.list(PoisonFilter.all()).depth()).isEqualTo(50);
                assertThat(context.getBean(Sagas.class).list(null, SagaStatus.ACTIVE, Duration.ZERO, 10))
                        .hasSize(1);
            });
            Files.writeString(
                    file,
                    context.getBean(SafeBunnyEngine.class)
                            .get(UpgradeSamples.class)
                            .take(10, BodyMasker.none())
                            .toJson());
            assertThat(poison.list(PoisonFilter.all()).depth()).isEqualTo(50);
        });
        assertThat(file).content().doesNotContain("4711", "1999").contains("\"states\":[{\"saga\":\"Shipping\"");

        runner.withBean(Orders.class)
                .withBean(Shipping.class)
                .run(context -> assertThat(UpgradeCheck.of(file).in(context)).hasNoFindings());
        runner.withBean(OrdersInEuros.class)
                .withBean(ShippingWithoutTimeout.class)
                .run(context -> assertThat(UpgradeCheck.of(file).in(context))
                        .finds(Kind.LOST_PROPERTY, "OrderPlaced.cents")
                        .finds(Kind.UNREADABLE_FOR_OLD, "OrderPlaced.cents")
                        .finds(Kind.MISSING_TIMEOUT, "Shipping.late"));
    }
}
