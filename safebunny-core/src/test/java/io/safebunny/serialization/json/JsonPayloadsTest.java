// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

class JsonPayloadsTest {

    record Item(String sku, int quantity) {}

    record Order(UUID id, List<Item> items, Map<String, Integer> weights) {}

    record Times(Instant at, LocalDate day, Duration patience) {}

    record Page<T>(List<T> rows, int number) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    sealed interface Payment permits Card, Cash {}

    record Card(String last4) implements Payment {}

    record Cash(int coins) implements Payment {}

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    @Test
    void readsBackRecordsWithCollections() {
        Order order = new Order(new UUID(1, 2), List.of(new Item("a", 1), new Item("b", 2)), Map.of("a", 3));

        assertThat(roundTrip(order, Order.class)).isEqualTo(order);
    }

    @Test
    void readsBackTimes() {
        Times times = new Times(
                Instant.parse("2026-01-01T00:00:00.123456789Z"), LocalDate.of(2026, 2, 28), Duration.ofMillis(1500));

        assertThat(roundTrip(times, Times.class)).isEqualTo(times);
    }

    @Test
    void writesTimesAsText() {
        byte[] body = serializer.serialize(
                new Times(Instant.parse("2026-01-01T00:00:00Z"), LocalDate.of(2026, 2, 28), Duration.ofSeconds(90)));

        assertThat(new String(body, StandardCharsets.UTF_8))
                .contains("\"2026-01-01T00:00:00Z\"", "\"2026-02-28\"", "\"PT1M30S\"");
    }

    @Test
    void readsBackAGenericPayloadType() {
        Page<Item> page = new Page<>(List.of(new Item("a", 1)), 7);

        assertThat(roundTrip(page, new ParameterizedTypeReference<Page<Item>>() {}.getType()))
                .isEqualTo(page);
    }

    @Test
    void readsBackTheSubtypesThatTheTypeDeclares() {
        assertThat(roundTrip(new Card("4242"), Payment.class)).isEqualTo(new Card("4242"));
        assertThat(roundTrip(new Cash(3), Payment.class)).isEqualTo(new Cash(3));
    }

    @Test
    void toleratesUnknownFields() {
        assertThat(read("{\"sku\":\"a\",\"quantity\":1,\"colour\":{\"r\":[1]}}", Item.class))
                .isEqualTo(new Item("a", 1));
    }

    @Test
    void toleratesWhiteSpaceAfterTheValue() {
        assertThat(read("{\"sku\":\"a\",\"quantity\":1} \r\n", Item.class)).isEqualTo(new Item("a", 1));
    }

    private Object roundTrip(Object payload, Type target) {
        return serializer.deserialize(serializer.serialize(payload), target);
    }

    private Object read(String json, Type target) {
        return serializer.deserialize(json.getBytes(StandardCharsets.UTF_8), target);
    }
}
