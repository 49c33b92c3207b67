// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.docs.GuideListingsTest.Application;
import io.safebunny.docs.GuideListingsTest.OrderPlaced;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Two application contexts with a broker each, and the bridge of the guide between them. */
class TwoContextsTest {

    private final CompletableFuture<MessageContext> arrived = new CompletableFuture<>();

    record Arrivals(CompletableFuture<MessageContext> first) {
        @BunnyHandler(from = "gateway")
        void on(OrderPlaced event, MessageContext context) {
            first.complete(context);
        }
    }

    private static ApplicationContextRunner node(String name) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("safebunny.node=" + name, "safebunny.transport=memory");
    }

    @Test
    void theBridgePublishesAsTheSecondNode() {
        node("gateway").withBean(Arrivals.class, () -> new Arrivals(arrived)).run(second -> {
            Bunny there = second.getBean(Bunny.class);
            node("orders").withBean(Bridge.class, () -> new Bridge(there)).run(first -> {
                String id = first.getBean(Bunny.class)
                        .publish(new OrderPlaced("42", 1999))
                        .messageId();
                MessageContext context = arrived.get(10, TimeUnit.SECONDS);

                assertThat(context.from()).isEqualTo("gateway");
                assertThat(context.causationId()).isNull();
                assertThat(context.messageId()).isNotEqualTo(id);
            });
        });
    }
}
