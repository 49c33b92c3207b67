// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

/** An application to test. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Shop.Orders.class)
class Shop {

    record PlaceOrder(String order) {}

    record OrderPaid(String order) {}

    record PaymentTimeout(String order) {}

    record OrderCancelled(String order) {}

    record OrderShipped(String order) {}

    record Loop(int round) {}

    record Fragile(int failures) {}

    record Sleepy(long millis) {}

    @Component
    static class Orders {

        private static final Duration TO_PAY = Duration.ofDays(7);

        final List<String> paid = new ArrayList<>();
        final List<Instant> tried = new ArrayList<>();
        private final Bunny bunny;
        private final Clock clock;

        Orders(Bunny bunny, Clock clock) {
            this.bunny = bunny;
            this.clock = clock;
        }

        @BunnyHandler(from = "storefront")
        void on(PlaceOrder placed) {
            bunny.publish(
                    new PaymentTimeout(placed.order()), PublishOptions.none().withDelay(TO_PAY));
        }

        @BunnyHandler(from = "payments")
        void on(OrderPaid order) {
            paid.add(order.order());
            bunny.publish(new OrderShipped(order.order()));
        }

        @BunnyHandler(from = "shop")
        void on(PaymentTimeout timeout) {
            if (!paid.contains(timeout.order())) {
                bunny.publish(new OrderCancelled(timeout.order()));
            }
        }

        @BunnyHandler(from = {"storefront", "shop"})
        void on(Loop loop) {
            bunny.publish(new Loop(loop.round() + 1));
        }

        @BunnyHandler(from = "storefront")
        void on(Fragile fragile) {
            tried.add(clock.instant());
            if (tried.size() <= fragile.failures()) {
                throw new IllegalStateException("not yet");
            }
        }

        @BunnyHandler(from = "storefront")
        void on(Sleepy sleepy) throws InterruptedException {
            Thread.sleep(sleepy.millis());
        }
    }
}
