// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyMessage;
import io.safebunny.Upcast;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.SerializationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Payload classes with versions that are refused, and what becomes of bodies of earlier versions. */
class BodyVersionsTest {

    private static final String JSON = "application/json";

    @BunnyMessage(version = 3)
    record Third(String first, String last, String tags) {

        @Upcast(from = 1)
        static ObjectNode split(ObjectNode body) {
            String[] parts = body.remove("name").asString().split(" ", -1);
            return body.put("first", parts[0]).put("last", parts[1]);
        }

        @Upcast(from = 2)
        @SuppressWarnings("UnusedMethod")
        private static ObjectNode tagged(ObjectNode body) {
            return body.put("tags", "none");
        }
    }

    @BunnyMessage(version = 0)
    record Zero(String a) {}

    @BunnyMessage(version = 1_000_001)
    record TooHigh(String a) {}

    @BunnyMessage(version = 2)
    record NoneAtAll(String a) {}

    @BunnyMessage(version = 4)
    record Hole(String a) {

        @Upcast(from = 1)
        static ObjectNode one(ObjectNode old) {
            return old;
        }

        @Upcast(from = 3)
        static ObjectNode three(ObjectNode old) {
            return old;
        }
    }

    @BunnyMessage(version = 3)
    record WithoutTheFirst(String a) {

        @Upcast(from = 2)
        static ObjectNode two(ObjectNode old) {
            return old;
        }
    }

    @BunnyMessage(version = 2)
    record Twice(String a) {

        @Upcast(from = 1)
        static ObjectNode one(ObjectNode old) {
            return old;
        }

        @Upcast(from = 1)
        static ObjectNode other(ObjectNode old) {
            return old;
        }
    }

    record Unversioned(String a) {

        @Upcast(from = 1)
        static ObjectNode one(ObjectNode old) {
            return old;
        }
    }

    @BunnyMessage(version = 2)
    record OfInstance(String a) {

        @Upcast(from = 1)
        ObjectNode one(ObjectNode old) {
            return old;
        }
    }

    @BunnyMessage(version = 2)
    record OfText(String a) {

        @Upcast(from = 1)
        static String one(String old) {
            return old;
        }
    }

    @BunnyMessage(version = 2)
    record Failing(String a) {

        @Upcast(from = 1)
        static @Nullable ObjectNode one(ObjectNode old) throws IOException {
            if (old.path("a").isNull()) {
                return null;
            }
            throw new IOException("secret " + old);
        }
    }

    @SuppressWarnings("UnusedMethod")
    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(Zero.class, "[class=" + Zero.class.getName() + ", version=0]: it must be 1 to 1000000"),
                Arguments.of(TooHigh.class, "version=1000001]"),
                Arguments.of(
                        NoneAtAll.class,
                        "An upcaster is missing [class=" + NoneAtAll.class.getName()
                                + ", from=1]: there are some from []"),
                Arguments.of(Hole.class, "from=2]: there are some from [1, 3], and the class's version is 4"),
                Arguments.of(WithoutTheFirst.class, "from=1]: there are some from [2]"),
                Arguments.of(Twice.class, "Two upcasters read one version [from=1]"),
                Arguments.of(Unversioned.class, "one(ObjectNode), from=1]: it must be at least 1, and lower than"),
                Arguments.of(OfInstance.class, "must be static, take one ObjectNode and return one"),
                Arguments.of(OfText.class, "one(String), static=true, returns=java.lang.String"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void saysWhatIsMissingOrWrong(Class<?> payload, String words) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> BodyVersions.of(payload))
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1123"))
                .satisfies(e -> assertThat(e.action()).isNotBlank());
    }

    @Test
    void theActionIsAMethodToPaste() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> BodyVersions.of(Hole.class))
                .satisfies(e -> assertThat(e.action())
                        .isEqualTo("Add a method: @Upcast(from = 2) static ObjectNode upcast(ObjectNode old)."));
    }

    /** Who only publishes reads nothing. */
    @Test
    void aClassThatCannotReadEarlierBodiesCanBePublished() {
        assertThat(BodyVersions.presentOf(NoneAtAll.class)).isEqualTo(2);
        assertThat(BodyVersions.presentOf(String.class)).isEqualTo(1);
    }

    private static String upcast(Class<?> payload, int version, String contentType, String body) {
        return new String(
                BodyVersions.of(payload).upcast(body.getBytes(StandardCharsets.UTF_8), version, contentType),
                StandardCharsets.UTF_8);
    }

    @Test
    void eachVersionIsBroughtToTheNext() {
        assertThat(upcast(Third.class, 1, JSON, "{\"name\":\"Ada Lovelace\"}"))
                .isEqualTo("{\"first\":\"Ada\",\"last\":\"Lovelace\",\"tags\":\"none\"}");
        assertThat(upcast(Third.class, 2, "application/vnd.shop+json", "{\"first\":\"Ada\"}"))
                .isEqualTo("{\"first\":\"Ada\",\"tags\":\"none\"}");
    }

    @Test
    void theRestOfABodyStaysAsItWas() {
        assertThat(upcast(
                        Third.class,
                        2,
                        JSON,
                        "{\"n\":1.10000000000000000001,\"z\":-0.0,\"e\":1e400,\"u\":\"\\u00e4\"}"))
                .isEqualTo("{\"n\":1.10000000000000000001,\"z\":-0.0,\"e\":1E+400,\"u\":\"\u00e4\",\"tags\":\"none\"}");
    }

    /** Whatever its content: the class reads it as it came. */
    @Test
    void aBodyOfThePresentVersionIsNotTouched() {
        byte[] body = {1, 2, 3};

        assertThat(BodyVersions.of(Third.class).upcast(body, 3, "application/cbor"))
                .isSameAs(body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "null", "", "{", "{\"a\":1,\"a\":2}", "{\"a\":\"\\ud800\"}", "{} {}"})
    void whatIsNoJsonObjectIsRefused(String body) {
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> upcast(Third.class, 2, JSON, body));
    }

    @Test
    void onlyJsonIsUpcast() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> upcast(Third.class, 1, "application/cbor", "x"))
                .withMessageContaining("Cannot bring a body of version 1 up to version 3 of " + Third.class.getName())
                .withMessageContaining("its content type is application/cbor, and only JSON can be upcast");
    }

    @Test
    void saysWhichUpcasterFailedAndNothingOfTheBody() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> upcast(Failing.class, 1, JSON, "{\"a\":\"x\"}"))
                .withMessageContaining(
                        "upcaster " + Failing.class.getName() + ".one(ObjectNode) threw java.io.IOException")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> upcast(Failing.class, 1, JSON, "{\"a\":null}"))
                .withMessageContaining("returned null");
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> upcast(Third.class, 1, JSON, "{\"name\":\"Ada\"}"))
                .withMessageContaining("threw java.lang.ArrayIndexOutOfBoundsException");
    }
}
