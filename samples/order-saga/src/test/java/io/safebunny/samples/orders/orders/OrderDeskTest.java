// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.OrderShipped;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Records of handled messages stay in the database from test to test, as in production: each test has an order of its own. */
@BunnyTest(
        properties = {
            "safebunny.node=orders",
            "safebunny.store.type=jdbc",
            "spring.datasource.url=jdbc:h2:mem:order-desk;DB_CLOSE_DELAY=-1"
        })
class OrderDeskTest {

    @Autowired
    private JdbcClient jdbc;

    @Test
    void anOrderIsPlacedAndCompleted(BunnyHarness bunny) {
        String saga = place(bunny, "1");
        bunny.runUntilIdle();
        assertThat(bunny.saga(saga)).published(OrderPlaced.class, 1).published(OrderNews.class, 1);

        bunny.as("shipping").publish(new OrderShipped("1", "Ada"), in(saga));
        bunny.runUntilIdle();

        assertThat(bunny.saga(saga)).published(OrderNews.class, 2);
        assertThat(effects("1")).containsExactly("ACCEPTED", "COMPLETED");
    }

    @Test
    void aCustomerWhoClicksTwicePlacesOneOrder(BunnyHarness bunny) {
        String saga = place(bunny, "2");
        bunny.runUntilIdle();
        bunny.as("storefront").publish(order("2"), in(saga).withIdempotencyKey("2"));
        bunny.runUntilIdle();

        assertThat(bunny.saga(saga)).published(OrderPlaced.class, 1);
        assertThat(effects("2")).containsExactly("ACCEPTED");
    }

    @Test
    void nothingHappensInAWeekOfSilence(BunnyHarness bunny) {
        String saga = place(bunny, "3");
        bunny.runUntilIdle();

        assertThat(bunny.advance(Duration.ofDays(7))).isEmpty();
        assertThat(bunny.saga(saga)).published(OrderPlaced.class, 1).published(OrderNews.class, 1);
    }

    private static String place(BunnyHarness bunny, String orderId) {
        return bunny.as("storefront")
                .publish(order(orderId), PublishOptions.none().withIdempotencyKey(orderId));
    }

    private static PlaceOrder order(String orderId) {
        return new PlaceOrder(orderId, "Ada", List.of(new OrderLine("carrots", 3, 100)), "tok_visa");
    }

    private static PublishOptions in(String saga) {
        return PublishOptions.none().withCorrelationId(saga);
    }

    private List<String> effects(String orderId) {
        return jdbc.sql("select effect from ledger where order_id = ? order by effect")
                .param(orderId)
                .query(String.class)
                .list();
    }
}
