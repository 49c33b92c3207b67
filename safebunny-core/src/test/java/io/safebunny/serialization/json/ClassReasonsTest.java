// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import io.safebunny.serialization.SerializationException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** What is wrong with a class is told, and not only the place in the body at which that was noticed. */
@SuppressWarnings("unused") // Jackson uses them
class ClassReasonsTest {

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    static class Closed {
        private final String orderId;

        Closed(String orderId, String unused) {
            this.orderId = orderId;
        }
    }

    interface Shape {}

    record Holder(String id, Object value) {}

    record Holding(String id, Closed closed) {}

    static class FromText {
        private FromText(String text, boolean unused) {}

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static FromText of(String text) {
            return new FromText(text, true);
        }
    }

    static class FromNumber {
        private FromNumber(int number, boolean unused) {}

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static FromNumber of(int number) {
            return new FromNumber(number, true);
        }
    }

    static class Refusing {
        public String getOrder() {
            throw new IllegalArgumentException("secret");
        }
    }

    static class Valueless {
        @JsonValue
        public String value() {
            throw new IllegalArgumentException("secret");
        }
    }

    static class Conflicting {
        public void setOrder(Shape order) {}

        public void setOrder(Closed order) {}
    }

    static class SameNames {
        @JsonProperty("order")
        public String getOne() {
            return "secret";
        }

        @JsonProperty("order")
        public String getOther() {
            return "secret";
        }
    }

    private ThrowableAssertAlternative<SerializationException> reading(String body, Class<?> type) {
        return assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.deserialize(body.getBytes(StandardCharsets.UTF_8), type))
                .withMessageNotContaining("secret")
                .withMessageNotContaining("4711");
    }

    @Test
    void thatThereIsNoConstructor() {
        for (String body : List.of(
                "{\"orderId\":\"secret\"}", "\"secret\"", "\"value ('secret')\"", "4711", "4711.4711", "true")) {
            reading(body, Closed.class)
                    .withMessageContaining(Closed.class.getName())
                    .withMessageContaining("no Creators, like default constructor, exist");
        }
        reading("[4711]", Closed.class);
        reading("{\"id\":\"secret\",\"closed\":{\"orderId\":\"secret\"}}", Holding.class)
                .withMessageContaining("no Creators")
                .withMessageContaining("at closed");
    }

    @Test
    void thatThereIsNoneForThisKindOfValue() {
        reading("{\"text\":\"secret\"}", FromText.class).withMessageContaining("cannot deserialize from Object value");
        reading("true", FromNumber.class).withMessageContaining("deserialize from boolean value");
        reading("\"Cannot construct instance of `secret`\"", FromNumber.class);
    }

    @Test
    void thatItIsAbstract() {
        reading("{\"name\":\"secret\"}", Shape.class).withMessageContaining("abstract types");
    }

    @Test
    void thatItsPropertiesConflict() {
        reading("{\"order\":\"secret\"}", Conflicting.class).withMessageContaining("Conflicting setter definitions");
        for (Object payload : List.of(new SameNames(), new Holder("secret", Map.of("a", new SameNames())))) {
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> serializer.serialize(payload))
                    .withMessageContaining("Conflicting getter definitions")
                    .withMessageNotContaining("secret");
        }
    }

    @Test
    void butNotWhatItsOwnCodeSays() {
        for (Object payload : List.of(
                new Refusing(),
                new Holder("1", Map.of("a", new Refusing())),
                new Valueless(),
                new Holder("1", Map.of("a", new Valueless())))) {
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> serializer.serialize(payload))
                    .withMessageNotContaining("secret");
        }
    }
}
