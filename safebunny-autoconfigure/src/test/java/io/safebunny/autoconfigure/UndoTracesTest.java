// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An undo is made together with its step, and sent when the saga fails, perhaps weeks later. */
class UndoTracesTest {

    private final Spans spans = new Spans();
    private final ApplicationContextRunner node = spans.in(Nodes.bare())
            .withPropertyValues("safebunny.node=shop", "safebunny.transport=memory", "safebunny.store.type=memory");

    record Charge(String orderId) {}

    record Refund(String orderId) {}

    @Test
    void anUndoIsALinkedTraceAndNothingLaterIsInTheOneOfItsStep() {
        node.withBean(Failing.class).withBean(Billing.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));

            SpanData undone = spans.named("process shop-Refund");
            SpanData made = spans.named("create safebunny:shop-Refund");
            assertThat(made.getTraceId())
                    .isEqualTo(spans.named("process shop-OrderPlaced").getTraceId());
            assertThat(undone.getTraceId()).isNotEqualTo(made.getTraceId());
            assertThat(undone.getParentSpanId()).isEqualTo("0000000000000000");
            assertThat(Spans.links(undone)).containsExactly(Spans.id(made));
            SpanData failed = spans.named("process shop-BunnyTimeout");
            SpanData sent = spans.named("send safebunny:shop-Refund");
            assertThat(sent.getTraceId()).isEqualTo(failed.getTraceId());
            assertThat(Spans.links(sent)).containsExactly(Spans.id(made));
        });
    }

    @BunnySaga
    static class Failing {
        record State(String orderId) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(OrderPlaced placed, SagaContext saga) {
            saga.step("pay", new Charge(placed.orderId()), new Refund(placed.orderId()));
            saga.timeout("late", Duration.ofMillis(500));
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("too late");
        }
    }

    static class Billing {
        @BunnyHandler(from = "shop")
        void on(Charge command) {}

        @BunnyHandler(from = "shop")
        void on(Refund undo) {}
    }
}
