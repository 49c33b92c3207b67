// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Sharding;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.stereotype.Component;

/** Methods whose messages are divided into shards. */
class ShardedHandlersTest {

    @Component
    static class Whole {
        @BunnyHandler(from = "orders", ordered = true)
        void on(OrderPlaced order) {}
    }

    @Component
    static class Divided {
        @BunnyHandler(from = "orders", ordered = true, shards = "16")
        void on(OrderPlaced order) {}
    }

    @Component
    static class Listening {
        @BunnyHandler(from = "orders", ordered = true, shards = "16", listen = "0,3,8-11")
        void on(OrderPlaced order) {}
    }

    @Component
    @BunnyHandler(from = "orders", ordered = true, shards = "16", listen = "0-7")
    static class OfClass {
        @BunnyHandler
        void on(OrderPlaced order) {}
    }

    @Component
    @BunnyHandler(from = "orders", ordered = true, shards = "16")
    static class OfMethodAfterAll {
        @BunnyHandler(shards = "4", listen = "3")
        void on(OrderPlaced order) {}
    }

    static Stream<Arguments> shardings() {
        return Stream.of(
                Arguments.of(Divided.class, Sharding.into(16)),
                Arguments.of(Listening.class, Sharding.parse(16, "0,3,8-11")),
                Arguments.of(OfClass.class, Sharding.parse(16, "0-7")),
                Arguments.of(OfMethodAfterAll.class, Sharding.parse(4, "3")));
    }

    @ParameterizedTest
    @MethodSource("shardings")
    void areFound(Class<?> bean, Sharding sharding) {
        try (Handlers handlers = new Handlers(bean)) {
            HandlerDefinition handler = handlers.one();

            assertThat(handler.sharding()).isEqualTo(sharding);
            assertThat(handler.queue("billing")).isEqualTo("billing-OrderPlaced.in");
            assertThat(handler.subscription().shardQueues("billing"))
                    .hasSize(sharding.count())
                    .startsWith("billing-OrderPlaced.0", "billing-OrderPlaced.1")
                    .endsWith("billing-OrderPlaced." + (sharding.count() - 1));
        }
    }

    @Test
    void areNotDividedByDefault() {
        try (Handlers handlers = new Handlers(Whole.class)) {
            assertThat(handlers.one().sharding()).isNull();
            assertThat(handlers.one().subscription().shardQueues("billing")).isEmpty();
        }
    }

    @Component
    static class ByProperties {
        @BunnyHandler(from = "orders", ordered = true, shards = "${shards:}", listen = "${listen:}")
        void on(OrderPlaced order) {}
    }

    /** Each instance has its own. */
    @ParameterizedTest
    @CsvSource({"'4', '0-1', '0-1'", "'4', '', '0-3'", "' 4 ', ' 2 ', '2'"})
    void takeWhatPropertiesSay(String shards, String listen, String ranges) {
        try (Handlers handlers = new Handlers(Map.of("shards", shards, "listen", listen), ByProperties.class)) {
            assertThat(handlers.one().sharding()).isEqualTo(Sharding.parse(4, ranges));
        }
    }

    @Test
    void areNotDividedWithoutTheProperty() {
        try (Handlers handlers = new Handlers(ByProperties.class)) {
            assertThat(handlers.one().sharding()).isNull();
        }
    }

    // ---- refused

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0     |         | shards=0]: it must be 1 to 256",
                "257   |         | shards=257]: it must be 1 to 256",
                "-4    |         | shards=-4]: it must be 1 to 256",
                "many  |         | shards=many]: it must be 1 to 256",
                "4     | 4       | listen=4]: it must be numbers from 0 to 3",
                "4     | 0-4     | listen=0-4]: it must be numbers from 0 to 3",
                "4     | ','     | listen=,]: it must be numbers from 0 to 3",
                "4     | 3-0     | listen=3-0]: it must be numbers from 0 to 3",
                "4     | even    | listen=even]: it must be numbers from 0 to 3",
                "''    | 0-3     | listen=0-3]: it must be absent without shards"
            })
    void areRefusedWithNumbersThatAreNone(String shards, String listen, String why) {
        Map<String, Object> properties = Map.of("shards", shards, "listen", listen == null ? "" : listen);
        try (Handlers handlers = new Handlers(properties, ByProperties.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("SB-1105")
                    .withMessageContaining("ByProperties.on")
                    .withMessageContaining(why)
                    .satisfies(e -> assertThat(e.action()).contains("in the property its placeholder names"));
        }
    }

    @Component
    static class Unordered {
        @BunnyHandler(from = "orders", shards = "16")
        void on(OrderPlaced order) {}
    }

    @Component
    @BunnyHandler(from = "orders", shards = "16")
    static class UnorderedOfClass {
        @BunnyHandler
        void on(OrderPlaced order) {}
    }

    @Component
    static class UnorderedListening {
        @BunnyHandler(from = "orders", listen = "0-3")
        void on(OrderPlaced order) {}
    }

    @Component
    static class Batch {
        @BunnyHandler(from = "orders", shards = "16")
        void on(List<OrderPlaced> orders) {}
    }

    @Component
    static class Unknown {
        @BunnyHandler(from = "orders", ordered = true, shards = "${unknown}")
        void on(OrderPlaced order) {}
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(Unordered.class, "shards=16]: it must be absent without ordered = true"),
                Arguments.of(UnorderedOfClass.class, "shards=16]: it must be absent without ordered = true"),
                Arguments.of(UnorderedListening.class, "listen=0-3]: it must be absent without ordered = true"),
                Arguments.of(Batch.class, "shards=16]: it must be absent for a batch"),
                Arguments.of(Unknown.class, "value=${unknown}"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void areRefusedIfTheyCannotWork(Class<?> bean, String why) {
        try (Handlers handlers = new Handlers(bean)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("SB-1105")
                    .withMessageContaining(bean.getSimpleName() + ".on")
                    .withMessageContaining(why);
        }
    }

    @Component
    @BunnySaga
    static class Saga {
        record State(String id) {}

        @Starts
        @BunnyHandler(from = "orders", shards = "16")
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
                    .withMessageContaining("shards=16]: it must be absent for a saga");
        }
    }
}
