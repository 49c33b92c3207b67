// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
                "{\"id\":\"s3cret\",\"total\":-1}",
                "{\"id\":\"a\",\"total\":1} s3cret",
                "{\"id\":s3cret}"
            })
    void tellsNothingOfTheBody(String body) {
        SerializationException failure = failure(body, Order.class);

        assertThat(everythingOf(failure)).doesNotContain("s3cret").contains("Order");
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
