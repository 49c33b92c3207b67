// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyHandler.OnPoison;
import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.stereotype.Component;

/** Methods that take messages in order. */
class OrderedHandlersTest {

    @Component
    static class Plain {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order) {}
    }

    @Component
    static class Holding {
        @BunnyHandler(from = "orders", ordered = true)
        void on(OrderPlaced order) {}
    }

    @Component
    static class Skipping {
        @BunnyHandler(from = "orders", ordered = true, onPoison = OnPoison.SKIP)
        void on(OrderPlaced order) {}
    }

    @Component
    @BunnyHandler(from = "orders", ordered = true, onPoison = OnPoison.SKIP)
    static class OfClass {
        @BunnyHandler
        void on(OrderPlaced order) {}
    }

    @Component
    @BunnyHandler(from = "orders", ordered = true, onPoison = OnPoison.SKIP)
    static class OfMethodAfterAll {
        @BunnyHandler(ordered = true, onPoison = OnPoison.HOLD)
        void on(OrderPlaced order) {}
    }

    static Stream<Arguments> orderings() {
        return Stream.of(
                Arguments.of(Plain.class, Ordering.NONE, "billing-OrderPlaced"),
                Arguments.of(Holding.class, Ordering.HOLD, "billing-OrderPlaced.in"),
                Arguments.of(Skipping.class, Ordering.SKIP, "billing-OrderPlaced.in"),
                Arguments.of(OfClass.class, Ordering.SKIP, "billing-OrderPlaced.in"),
                Arguments.of(OfMethodAfterAll.class, Ordering.HOLD, "billing-OrderPlaced.in"));
    }

    @ParameterizedTest
    @MethodSource("orderings")
    void areFound(Class<?> bean, Ordering ordering, String queue) {
        try (Handlers handlers = new Handlers(bean)) {
            HandlerDefinition handler = handlers.one();

            assertThat(handler.ordering()).isEqualTo(ordering);
            assertThat(handler.queue("billing")).isEqualTo(queue);
        }
    }

    @Test
    void shareNoTransactionsByDefault() {
        try (Handlers handlers = new Handlers(Map.of(), Holding.class)) {
            assertThat(handlers.one().grouping()).isEqualTo(Grouping.NONE);
        }
    }

    // ---- refused

    @Component
    static class Batch {
        @BunnyHandler(from = "orders", ordered = true)
        void on(List<OrderPlaced> orders) {}
    }

    @Component
    static class Shared {
        @BunnyHandler(from = "orders", ordered = true, messagesPerTransaction = "8")
        void on(OrderPlaced order) {}
    }

    @Component
    static class BatchSize {
        @BunnyHandler(from = "orders", ordered = true, batchSize = "8")
        void on(OrderPlaced order) {}
    }

    @BunnyMessage(priority = 9)
    record Alarm(String id) {}

    @Component
    static class Priority {
        @BunnyHandler(from = "orders", ordered = true)
        void on(Alarm alarm) {}
    }

    @Component
    static class OnlyPoison {
        @BunnyHandler(from = "orders", onPoison = OnPoison.SKIP)
        void on(OrderPlaced order) {}
    }

    @Component
    @BunnyHandler(from = "orders", onPoison = OnPoison.SKIP)
    static class PoisonOfClass {
        @BunnyHandler(ordered = true)
        void on(OrderPlaced order) {}
    }

    @Component
    static class TwoOfOneType {
        @BunnyHandler(from = "orders", ordered = true)
        void on(OrderPlaced order) {}

        @BunnyHandler(from = "storefront")
        void too(OrderPlaced order) {}
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(Batch.class, "SB-1105", "ordered=true]: it must be false for a batch"),
                Arguments.of(
                        Shared.class, "SB-1105", "messagesPerTransaction=8]: it must be 1 for a handler with ordered"),
                Arguments.of(BatchSize.class, "SB-1105", "batchSize=8"),
                Arguments.of(Priority.class, "SB-1105", "Alarm have a priority"),
                Arguments.of(OnlyPoison.class, "SB-1105", "onPoison=SKIP]: it must be absent without ordered"),
                Arguments.of(PoisonOfClass.class, "SB-1105", "onPoison=SKIP]: it must be where ordered = true is"),
                Arguments.of(TwoOfOneType.class, "SB-1102", "OrderPlaced"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void areRefusedIfTheyCannotWork(Class<?> bean, String code, String why) {
        try (Handlers handlers = new Handlers(bean)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining(code)
                    .withMessageContaining(why);
        }
    }

    @Component
    @BunnySaga
    static class Saga {
        record State(String id) {}

        @Starts
        @BunnyHandler(from = "orders", ordered = true)
        State on(OrderPlaced order) {
            return new State(order.orderId());
        }
    }

    @Test
    void noneIsOfASaga() {
        try (Handlers handlers = new Handlers(Saga.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::sagas)
                    .withMessageContaining("SB-1105")
                    .withMessageContaining("ordered=true]: it must be false for a saga");
        }
    }
}
