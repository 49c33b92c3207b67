// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.test.database.PostgresServer;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.health.DataSourceHealthContributorAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** PostgreSQL dies under a node whose broker is there, and comes back. */
@Timeout(120)
@Tag("once")
class StoreLossIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = Healths.withEndpoint(node.runner())
            .withConfiguration(AutoConfigurations.of(DataSourceHealthContributorAutoConfiguration.class))
            .withPropertyValues("safebunny.dedup.lease=2s", "safebunny.circuit-breaker.wait-duration-in-open-state=1s")
            .withBean(Shop.class);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @Test
    void isToldRestartsNoPodTakesNoneOutOfServiceAndCostsNoMessage() {
        runner.run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            Shop shop = context.getBean(Shop.class);
            HealthEndpoint health = Healths.ready(context);
            bunny.publish(new OrderPlaced("before"));
            Awaitility.await().until(() -> node.states().equals(List.of("DISPATCHED")));
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);

            Instant loss = Instant.now();
            DATABASE.kill();
            bunny.publish(new OrderPlaced("during"));
            Awaitility.await().until(() -> Healths.part(context, "store").getStatus(), Status.DOWN::equals);

            assertThat(Healths.statusOf(health, "liveness")).isEqualTo(Status.UP);
            assertThat(Healths.statusOf(health, "readiness")).isEqualTo(Status.UP);
            assertThat(Healths.statusOf(health, "db")).isEqualTo(Status.DOWN);
            assertThat(Healths.statusOf(health, "safebunny", "broker")).isEqualTo(Status.UP);
            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
            assertTellsTheLoss(Healths.part(context, "store"), loss);
            assertThat(shop.handled).containsExactly("before");

            DATABASE.restart();
            Awaitility.await().until(() -> node.states().equals(List.of("DISPATCHED", "DISPATCHED")));
            bunny.publish(new OrderPlaced("after")); // the breaker closes after three calls
            bunny.publish(new OrderPlaced("long after"));
            Awaitility.await().until(() -> health.health().getStatus(), Status.UP::equals);

            assertThat(shop.handled).startsWith("before", "during").hasSize(4).contains("after", "long after");
            try (PoisonQueue poison = node.poisonQueue()) {
                assertThat(poison.waiting()).isZero();
            }
        });
    }

    /** Since when, and why, for people: a reason, and no credentials. */
    private static void assertTellsTheLoss(Health store, Instant loss) {
        assertThat(Instant.parse(String.valueOf(store.getDetails().get("since"))))
                .isAfterOrEqualTo(loss);
        assertThat(String.valueOf(store.getDetails().get("reason")))
                .startsWith("SB-")
                .doesNotContain("password")
                .doesNotContain(DATABASE.jdbcUrl());
    }

    static final class Shop {

        private final List<String> handled = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order) {
            handled.add(order.orderId());
        }
    }
}
