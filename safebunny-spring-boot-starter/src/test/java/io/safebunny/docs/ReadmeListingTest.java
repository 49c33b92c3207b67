// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

/** The quick start of the README, run. */
class ReadmeListingTest {

    private final List<String> charged = new CopyOnWriteArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void handlesWhatOrdersPublishesAndPublishesTheNextStep() {
        List<String> captured = new CopyOnWriteArrayList<>();
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "safebunny.node=orders", "safebunny.transport=memory", "safebunny.store.type=memory")
                .withBean(Payments.class, () -> (orderId, cents) -> charged.add(orderId + " " + cents))
                .withBean(Invoicing.class)
                .withBean(Accounting.class, () -> new Accounting(captured))
                .run(context -> {
                    Bunny bunny = context.getBean(Bunny.class);
                    PublishOptions once = PublishOptions.none().withIdempotencyKey("42");
                    String first = bunny.publish(new OrderPlaced("42", 1999), once);
                    String again = bunny.publish(new OrderPlaced("42", 1999), once);

                    assertThat(again).isEqualTo(first);
                    await().atMost(Duration.ofSeconds(10)).until(() -> !captured.isEmpty());
                    assertThat(charged).containsExactly("42 1999");
                    assertThat(captured).containsExactly("42");
                });
    }

    /** Hears what the listing publishes; one node plays all parts. */
    record Accounting(List<String> captured) {

        @BunnyHandler(from = "orders")
        void on(PaymentCaptured event) {
            captured.add(event.orderId());
        }
    }
}

/** What the listing needs besides. */
interface Payments {
    void charge(String orderId, long totalCents);
}

record OrderPlaced(String orderId, long totalCents) {}

record PaymentCaptured(String orderId) {}

@Component
class Invoicing {

    private final Bunny bunny;
    private final Payments payments;

    Invoicing(Bunny bunny, Payments payments) {
        this.bunny = bunny;
        this.payments = payments;
    }

    @BunnyHandler(from = "orders") // OrderPlaced, published by the node "orders"
    void on(OrderPlaced event, MessageContext context) {
        payments.charge(event.orderId(), event.totalCents());
        bunny.publish(new PaymentCaptured(event.orderId())); // sent when this method has succeeded
    }
}
