// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.serialization.SerializationException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRefusalsTest {

    enum Colour {
        RED
    }

    record Order(String id, int total, Instant at, Colour colour, List<Integer> parts, Map<String, Integer> weights) {
        Order {
            if (total < 0) {
                throw new IllegalArgumentException("negative total of " + id);
            }
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Card.class, name = "card"))
    interface Payment {}

    record Card(String last4) implements Payment {}

    static final class Unwritable {
        @SuppressWarnings("DoNotCallSuggester")
        public String getId() {
            throw new IllegalStateException("not now");
        }
    }

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    @ParameterizedTest
    @ValueSource(strings = {" x", "{}", "]", ",", " null"})
    void refusesAnythingAfterTheValue(String more) {
        String body = "{\"id\":\"a\",\"total\":1}";

        assertThat(serializer.deserialize(body.getBytes(StandardCharsets.UTF_8), Order.class))
                .isInstanceOf(Order.class);
        assertThat(failure(body + more, Order.class)).hasMessageContaining("Order");
    }

    @Test
    void refusesNothingAtAll() {
        assertThat(failure("", Order.class)).hasMessageContaining("Order");
    }

    @Test
    void refusesTheLiteralNull() {
        assertThat(failure("null", Order.class)).hasMessageContaining("null").hasMessageContaining("Order");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3cret",
                "\"s3cret\"",
                "[\"s3cret\"]",
                "{\"id\":\"s3cret",
                "{\"id\":{\"s3cret\":1}}",
                "{\"total\":\"s3cret\"}",
                "{\"at\":\"s3cret\"}",
                "{\"colour\":\"s3cret\"}",
                "{\"parts\":[1,\"s3cret\"]}",
                "{\"weights\":{\"a\":\"s3cret\"}}",
                "{\"weights\":{\"s3cret\":\"x\"}}",
                "{\"id\":\"a\",\"total\":1} s3cret",
                "{\"id\":s3cret}"
            })
    void tellsNothingOfTheBody(String body) {
        SerializationException failure = failure(body, Order.class);

        assertThat(everythingOf(failure)).doesNotContain("s3cret").contains("Order");
    }

    record Charge(String orderId, long cents, List<Part> parts) {
        Charge {
            if (cents < 0) {
                throw new IllegalArgumentException("cents must be positive\n" + "x".repeat(1_000));
            }
        }
    }

    record Part(int weight) {}

    record Parsing(String id, String kind) {
        Parsing {
            Object unused =
                    switch (kind) {
                        case "uuid" -> UUID.fromString(id);
                        case "number" -> Integer.valueOf(id);
                        case "enum" -> Colour.valueOf(id);
                        default -> Instant.parse(id);
                    };
        }
    }

    record Needing(String id) {
        Needing {
            Objects.requireNonNull(id, "an order has an id");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"orderId\":\"s3cret\"}|missing property 'cents'",
                "{\"orderId\":\"s3cret\",\"cents\":null}|property 'cents' is null",
                "{\"cents\":1,\"parts\":[{\"weight\":1},{\"s3cret\":1}]}|missing property 'parts[1].weight'",
            })
    void tellsWhatIsMissing(String body, String text) {
        SerializationException failure = failure(body, Charge.class);

        assertThat(failure).hasMessageContaining(text);
        assertThat(everythingOf(failure)).doesNotContain("s3cret");
    }

    @Test
    void tellsWhatTheConstructorSays() {
        SerializationException failure = failure("{\"orderId\":\"s3cret\",\"cents\":-1}", Charge.class);

        assertThat(failure)
                .hasMessageContaining("IllegalArgumentException: cents must be positive?xxx")
                .hasMessageEndingWith("…");
        assertThat(String.valueOf(failure.getMessage())).hasSizeLessThan(400);
        assertThat(everythingOf(failure)).doesNotContain("s3cret");
        assertThat(failure("{\"id\":null}", Needing.class)).hasMessageContaining("an order has an id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"uuid", "number", "enum", "date"})
    void tellsNotWhatOthersSayInTheConstructor(String kind) {
        SerializationException failure = failure("{\"id\":\"s3cret\",\"kind\":\"%s\"}".formatted(kind), Parsing.class);

        assertThat(everythingOf(failure)).doesNotContain("s3cret").contains("Exception", "Parsing");
    }

    @Test
    void tellsNothingOfAnUnknownSubtype() {
        SerializationException failure = failure("{\"kind\":\"s3cret\"}", Payment.class);

        assertThat(everythingOf(failure)).doesNotContain("s3cret");
    }

    @Test
    void tellsWhereTheBodyIsWrong() {
        assertThat(failure("{\"id\":\"a\",\n\"total\":\"b\"}", Order.class))
                .hasMessageContaining("total")
                .hasMessageContaining("line 2");
    }

    @Test
    void saysWhichClassCannotBeWritten() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.serialize(new Unwritable()))
                .withMessageContaining(Unwritable.class.getName());
    }

    private SerializationException failure(String body, Class<?> target) {
        SerializationException[] failure = new SerializationException[1];
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.deserialize(body.getBytes(StandardCharsets.UTF_8), target))
                .satisfies(e -> failure[0] = e);
        return failure[0];
    }

    /** Messages of the exception, its causes and what they suppressed. */
    private static String everythingOf(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
