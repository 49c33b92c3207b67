// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.JsonNodeFactory;

/** Payloads with numbers whose type nobody has declared, whatever the application's mapper says. */
class ExactNumbersTest {

    record Payload(JsonNode tree, Map<String, Object> map, Object any) {}

    static List<JsonMapper> mappers() {
        return List.of(
                JsonMapper.shared(),
                JsonMapper.builder()
                        .disable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                        .enable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void keepTheirDigits(JsonMapper mapper) {
        JsonMessageSerializer serializer = new JsonMessageSerializer(mapper, 1_000_000);
        for (String digits : List.of("1000000000000000.01", "0.50", "10000000.00", "1E+7", "1E-300")) {
            BigDecimal number = new BigDecimal(digits);
            Payload payload = new Payload(
                    JsonNodeFactory.instance.objectNode().put("n", number), Map.of("n", number), List.of(number));
            byte[] body = serializer.serialize(payload);

            assertThat(serializer.deserialize(body, Payload.class)).isEqualTo(payload);
            assertThat(new String(body, StandardCharsets.UTF_8)).contains(digits);
        }
    }

    private static Object read(String body, Class<?> type) {
        return new JsonMessageSerializer().deserialize(body.getBytes(StandardCharsets.UTF_8), type);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Long.class,
                Integer.class,
                Short.class,
                Byte.class,
                BigInteger.class,
                AtomicLong.class,
                OptionalLong.class,
                OptionalInt.class
            })
    void ofWholeOnesAreNotCutOff(Class<?> type) {
        assertRefused("1.75", type);
        assertRefused("[1.75]", Array.newInstance(type, 0).getClass());
    }

    @ParameterizedTest
    @ValueSource(classes = {long[].class, int[].class, short[].class, Prices.class, Whole.class})
    void ofPrimitivesAreNotCutOff(Class<?> type) {
        assertRefused(type.isArray() ? "[1.75]" : "{\"cents\":1.75,\"all\":[1.75]}", type);
    }

    record Prices(List<Long> all) {}

    record Whole(long cents) {}

    private static void assertRefused(String body, Class<?> type) {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> read(body, type))
                .withMessageNotContaining("1.75");
    }

    @Test
    void areToldApartInTheReason() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> read("{\"cents\":1.75}", Whole.class))
                .withMessageContaining("a number with a fraction, or too large, for a whole one at cents");
    }

    @ParameterizedTest
    @ValueSource(strings = {"100", "100.0", "100.00", "1E2"})
    void areWholeHoweverTheyAreWritten(String digits) {
        assertThat(read(digits, Long.class)).isEqualTo(100L);
        assertThat(read(digits, Byte.class)).isEqualTo((byte) 100);
        assertThat(read(digits, BigInteger.class)).isEqualTo(BigInteger.valueOf(100));
        assertThat(read("{\"cents\":" + digits + "}", Whole.class)).isEqualTo(new Whole(100));
    }

    @Test
    void doNotBecomeInfinite() {
        assertRefused("1e400", Double.class);
        assertRefused("1e40", Float.class);
        assertThat(read("\"NaN\"", Double.class)).isEqualTo(Double.NaN);
        assertThat(read("1e300", Double.class)).isEqualTo(1e300);
    }

    /** As of an application that writes euros and counts cents. */
    private static final class Cents<N extends Number> extends ValueDeserializer<N> {
        private final Function<BigDecimal, N> of;

        Cents(Function<BigDecimal, N> of) {
            this.of = of;
        }

        @Override
        public N deserialize(JsonParser parser, DeserializationContext context) {
            return of.apply(parser.getDecimalValue().movePointRight(2));
        }
    }

    @Test
    void areReadByTheApplicationsOwnDeserializer() {
        JsonMessageSerializer own = new JsonMessageSerializer(
                JsonMapper.builder()
                        .addModule(new SimpleModule()
                                .addDeserializer(Long.class, new Cents<>(BigDecimal::longValueExact))
                                .addDeserializer(BigInteger.class, new Cents<>(BigDecimal::toBigInteger)))
                        .build(),
                1_000);

        for (String euros : List.of("2", "2.00")) {
            byte[] body = euros.getBytes(StandardCharsets.UTF_8);
            assertThat(own.deserialize(body, Long.class)).isEqualTo(200L);
            assertThat(own.deserialize(body, BigInteger.class)).isEqualTo(BigInteger.valueOf(200));
        }
    }
}
