// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each run of a handler gets what was delivered, and not what an earlier run has made of it. */
class ChangedPayloadTest {

    /** As applications write them. */
    static class Order {
        public String orderId = "";
        public int total;
        public List<String> lines = new ArrayList<>();
    }

    private final RecordingTransport transport = new RecordingTransport();
    /** What each run got, and each middleware. */
    private final List<String> seen = new ArrayList<>();

    private void deliver(int failures, ConsumeMiddleware... middlewares) {
        SafeBunnyEngine engine = new SafeBunnyEngine(
                SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, VirtualTimeline.skipping())
                        .consumeMiddlewares(List.of(middlewares))
                        .callbacks(Runnable::run)
                        .build());
        int[] runs = {0};
        engine.start(List.of(new HandlerDefinition(
                "invoicing.on(Order)",
                "OrderPlaced",
                Order.class,
                List.of("orders"),
                10,
                Node.SIX_ATTEMPTS,
                (payload, context) -> {
                    Order order = (Order) payload;
                    seen.add("run " + order.total + order.lines);
                    order.total += 10;
                    order.lines.add("shipping");
                    if (runs[0]++ < failures) {
                        throw new IllegalStateException("failed");
                    }
                })));
        transport.deliver(new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire()));
    }

    @Test
    void aRetryInMemoryDoesNotAddToWhatTheFailedRunHasAdded() {
        deliver(2);

        assertThat(seen).containsExactly("run 42[]", "run 42[]", "run 42[]");
    }

    @Test
    void noMoreDoesTheRunOfAMiddlewareThatCallsNextAgain() {
        deliver(
                0,
                (context, next) -> {
                    next.run();
                    next.run();
                },
                (context, next) -> {
                    seen.add("behind " + ((Order) context.payload()).total);
                    next.run();
                });

        assertThat(seen).containsExactly("behind 42", "run 42[]", "behind 42", "run 42[]");
    }

    @Test
    void whatAMiddlewareHasPutInItsPlaceStays() {
        deliver(1, (context, next) -> {
            Order replacement = new Order();
            replacement.total = 7;
            context.replacePayload(replacement);
            next.run();
        });

        assertThat(seen).first().isEqualTo("run 7[]");
        assertThat(seen).hasSize(2).last().asString().doesNotContain("42");
    }
}
