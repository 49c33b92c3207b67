// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.PublishOptions;
import io.safebunny.failure.MisuseException;
import io.safebunny.harness.Shop.Fragile;
import io.safebunny.harness.Shop.Loop;
import io.safebunny.harness.Shop.OrderCancelled;
import io.safebunny.harness.Shop.OrderPaid;
import io.safebunny.harness.Shop.OrderShipped;
import io.safebunny.harness.Shop.Orders;
import io.safebunny.harness.Shop.PaymentTimeout;
import io.safebunny.harness.Shop.PlaceOrder;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@BunnyTest(
        classes = Shop.class,
        properties = {
            "safebunny.node=shop",
            "safebunny.retry.max-retries=1",
            "safebunny.retry.initial-interval=200ms",
            "safebunny.delayed-retry.delays=10s,1h",
        },
        mostSteps = 1_000)
class CheckoutTest {

    @Autowired
    private Orders orders;

    @Autowired
    private BunnyCircuitBreaker breaker;

    @BeforeEach
    void forget() {
        orders.paid.clear();
        orders.tried.clear();
    }

    @Test
    void cancelsUnpaidOrders(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new PlaceOrder("7"));
        assertThat(bunny.runUntilIdle()).next(PaymentTimeout.class).in(Duration.ofDays(7));
        bunny.advance(Duration.ofDays(7));
        assertThat(bunny.saga(saga)).published(OrderCancelled.class, 1).never(OrderShipped.class);
    }

    @Test
    void timeDoesNotGoBack(BunnyHarness bunny) {
        assertThatThrownBy(() -> bunny.advance(Duration.ofHours(-1)))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("duration=PT-1H");
    }

    @Test
    void shipsPaidOrders(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new PlaceOrder("7"));
        bunny.as("payments").publish(new OrderPaid("7"), PublishOptions.none().withCorrelationId(saga));
        bunny.runUntilIdle();
        bunny.advance(Duration.ofDays(7));
        assertThat(bunny.saga(saga))
                .published(OrderShipped.class, 1)
                .never(OrderCancelled.class)
                .handled(PaymentTimeout.class, 1);
        assertThat(bunny.advance(Duration.ofDays(30))).isEmpty();
    }

    @Test
    void failuresAreRetriedAndThenSetAside(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new Fragile(100));

        bunny.runUntilIdle();

        assertThat(orders.tried).hasSize(2 * 3);
        assertThat(bunny.saga(saga))
                .retried(Fragile.class, 2)
                .setAside(Fragile.class, "retries-exhausted")
                .handled(Fragile.class, 0);
    }

    @Test
    void aFailureThatPassesIsNone(BunnyHarness bunny) {
        bunny.as("storefront").publish(new Fragile(3));

        bunny.runUntilIdle();

        assertThat(bunny.messages())
                .retried(Fragile.class, 1)
                .handled(Fragile.class, 1)
                .nothingSetAside();
        assertThat(Duration.between(orders.tried.get(0), orders.tried.get(3)))
                .isBetween(Duration.ofMillis(10_400), Duration.ofMillis(11_500));
    }

    @Test
    void aPausedTypeStaysWhereItIs(BunnyHarness bunny) {
        breaker.open(OrderPaid.class, Duration.ofHours(1));
        bunny.as("payments").publish(new OrderPaid("7"));

        bunny.runUntilIdle();
        assertThat(bunny.messages()).handled(OrderPaid.class, 0);

        bunny.advance(Duration.ofHours(1));
        assertThat(bunny.messages()).handled(OrderPaid.class, 1);
    }

    @Test
    void aFailedAssertionTellsTheStory(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new Fragile(3));
        bunny.runUntilIdle();

        assertThatThrownBy(() -> assertThat(bunny.saga(saga)).setAside(Fragile.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "storefront     published Fragile",
                        "shop           delivered Fragile",
                        "failed Fragile",
                        "to be retried Fragile",
                        "in 10s, because of java.lang.IllegalStateException: not yet",
                        "completed Fragile")
                .hasMessageNotContaining("failures");
    }

    @Test
    void aLoopIsToldByItsMessages(BunnyHarness bunny) {
        bunny.as("storefront").publish(new Loop(0));

        assertThatThrownBy(() -> bunny.runUntilIdle())
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("does not become idle", "Not idle after 1000 steps", "delivered Loop by shop");
    }

    @Test
    void whoForgetsToRunIsTold(BunnyHarness bunny) {
        String saga = bunny.as("storefront").publish(new PlaceOrder("7"));

        assertThatThrownBy(() -> assertThat(bunny.saga(saga)).never(OrderShipped.class))
                .hasMessageContaining("call runUntilIdle()");
        bunny.runUntilIdle();
    }
}
