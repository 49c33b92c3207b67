// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.OnExpired;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.handler.HandlerDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** Methods for expired messages, beside the handlers for the same payload. */
class ExpiredMethodsTest {

    @Component("bean")
    static class Both {
        final List<String> calls = new ArrayList<>();

        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {
            calls.add("handled");
        }

        @OnExpired
        void expired(OrderPlaced order, MessageContext context, @Header("tenant") String tenant) {
            calls.add("expired " + order.orderId() + ' ' + context.messageId() + ' ' + tenant);
        }

        @BunnyHandler(from = "orders")
        void on(PaymentCaptured payment) {}
    }

    @Component("bean")
    static class OfABatch {
        @BunnyHandler(from = "orders")
        void on(List<OrderPlaced> orders) {}

        @OnExpired
        void expired(OrderPlaced order) {}
    }

    @Component("bean")
    static class WithoutHandler {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {}

        @OnExpired
        void expired(PaymentCaptured payment) {}
    }

    @Component("bean")
    static class Lonely {
        @OnExpired
        void expired(PaymentCaptured payment) {}
    }

    @Component("bean")
    static class Two {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {}

        @OnExpired
        void expired(OrderPlaced order) {}

        @OnExpired
        void late(OrderPlaced order) {}
    }

    @Component("bean")
    static class Returns {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {}

        @OnExpired
        String expired(OrderPlaced order) {
            return "";
        }
    }

    @Component("bean")
    static class TakesBatch {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {}

        @OnExpired
        void expired(List<OrderPlaced> orders) {}
    }

    @Component("bean")
    static class Same {
        @OnExpired
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {}
    }

    @BunnyMessage(validFor = "forever")
    record Wrong(String id) {}

    @Component("bean")
    static class WrongValidFor {
        @BunnyHandler(from = "orders")
        void on(Wrong wrong) {}
    }

    @Test
    void runsInPlaceOfItsHandler() throws Exception {
        try (Handlers handlers = new Handlers(Both.class)) {
            HandlerDefinition handler = handlers.scan().stream()
                    .filter(each -> each.type().equals("OrderPlaced"))
                    .findFirst()
                    .orElseThrow();

            Objects.requireNonNull(handler.onExpired())
                    .invoke(new OrderPlaced("o-1", 42), Handlers.message(Map.of("tenant", "t-1")));

            assertThat(handlers.bean(Both.class).calls).containsExactly("expired o-1 m-1 t-1");
            assertThat(handlers.scan())
                    .filteredOn(each -> each.type().equals("PaymentCaptured"))
                    .singleElement()
                    .satisfies(each -> assertThat(each.onExpired()).isNull());
        }
    }

    @Test
    void ofABatchHandlerTakesOneMessage() {
        try (Handlers handlers = new Handlers(OfABatch.class)) {
            assertThat(handlers.one().onExpired()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                WithoutHandler.class,
                Lonely.class,
                Two.class,
                Returns.class,
                TakesBatch.class,
                Same.class,
                WrongValidFor.class
            })
    void isRefusedIfItCouldNotRun(Class<?> bean) {
        try (Handlers handlers = new Handlers(bean)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1119"))
                    .satisfies(e -> assertThat(e.action()).isNotEmpty());
        }
    }
}
