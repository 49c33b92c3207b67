// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.safebunny.serialization.SerializationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;

/** An object of which nothing would arrive is not sent. */
@SuppressWarnings({"unused", "UnusedVariable", "NullAway"}) // Jackson does not see them
class EmptyObjectsTest {

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    static class Mute {
        private String orderId = "secret";
    }

    /** As a case class of Scala, or a record of another language without its module. */
    static final class Accessors {
        private final String orderId;

        Accessors(String orderId) {
            this.orderId = orderId;
        }

        public String orderId() {
            return orderId;
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    static class Annotated {
        private String orderId = "secret";
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    static class Typed {
        private String orderId = "secret";
    }

    static class Inheriting extends Mute {}

    record Holder(String id, Object value) {}

    static List<Object> refused() {
        return List.of(
                new Mute(),
                new Accessors("secret"),
                new Annotated(),
                new Typed(),
                new Inheriting(),
                new Holder("1", new Mute()),
                new Holder("1", List.of(Map.of("a", new Accessors("secret")))),
                new Holder("1", Optional.of(new Annotated())));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatWouldArriveEmpty(Object payload) {
        for (int again = 0; again < 2; again++) {
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> serializer.serialize(payload))
                    .withMessageStartingWith(
                            "SB-3004 Cannot write " + payload.getClass().getName())
                    .withMessageContaining("would become {}")
                    .withMessageNotContaining("secret");
        }
    }

    record Marker() {}

    static class EmptyClass {
        private static final String CONSTANT = "1";
        private transient String cached;
    }

    static class Ignoring {
        @JsonIgnore
        private String orderId = "1";

        private String other = "2";

        @JsonIgnore
        public String getOther() {
            return other;
        }
    }

    record IgnoringRecord(@JsonIgnore String orderId) {}

    @JsonIgnoreProperties("orderId")
    static class IgnoringByName {
        public String orderId = "1";
    }

    static class WriteOnly {
        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        private String password = "1";
    }

    static class Anything {
        private final Map<String, Object> rest = new HashMap<>();

        @JsonAnyGetter
        public Map<String, Object> rest() {
            return rest;
        }
    }

    static class Unwrapping {
        @JsonUnwrapped
        public Marker inner = new Marker();
    }

    record Absent(@Nullable String orderId) {}

    @JsonSerialize(using = Own.class)
    static class WrittenByOwn {
        private String orderId = "1";
    }

    static class Own extends ValueSerializer<WrittenByOwn> {
        @Override
        public void serialize(WrittenByOwn value, JsonGenerator json, SerializationContext context) {
            json.writeStartObject();
            json.writeEndObject();
        }
    }

    static List<Object> written() {
        return List.of(
                new Marker(),
                new EmptyClass(),
                new Ignoring(),
                new IgnoringRecord("1"),
                new IgnoringByName(),
                new WriteOnly(),
                new Anything(),
                new Unwrapping(),
                new WrittenByOwn());
    }

    @ParameterizedTest
    @MethodSource("written")
    void writesWhatHasNothingToTell(Object payload) {
        assertThat(serializer.serialize(payload)).asString().isEqualTo("{}");
        assertThat(serializer.serialize(new Holder("1", payload))).asString().isEqualTo("{\"id\":\"1\",\"value\":{}}");
    }
}
