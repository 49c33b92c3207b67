// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a sender who chooses the body can do to its reader. */
class HostileJsonTest {

    private static final int SIZE = 1_000_000;

    record Payment(String id, BigDecimal amount, @Nullable BigInteger count) {}

    record Linked(@Nullable Linked next, @Nullable List<Linked> others) {}

    private final JsonMessageSerializer serializer = new JsonMessageSerializer(JsonMapper.shared(), SIZE);

    static Stream<Arguments> tooMuch() {
        return Stream.of(
                arguments("[".repeat(501) + "]".repeat(501), Object.class, "nesting depth", "500"),
                arguments("[".repeat(501) + "]".repeat(501), JsonNode.class, "nesting depth", "500"),
                arguments("{\"next\":".repeat(501) + "null" + "}".repeat(501), Linked.class, "nesting depth", "500"),
                arguments("{\"unknown\":" + "[".repeat(100_000), Payment.class, "nesting depth", "500"),
                arguments("[" + "0,".repeat(260_000) + "0]", Object.class, "Token count", "max-message-size"),
                arguments("[" + "[],".repeat(130_000) + "0]", JsonNode.class, "Token count", "max-message-size"),
                arguments("[" + "{},".repeat(130_000) + "0]", Map[].class, "Token count", "max-message-size"),
                arguments("{\"unknown\":[" + "0,".repeat(260_000) + "0]}", Payment.class, "Token count", "size"),
                arguments("{\"" + "n".repeat(1_001) + "\":0}", Object.class, "Name length", "1000"),
                arguments("{\"id\":\"1\",\"count\":" + "1".repeat(1_001) + "}", Payment.class, "Number", "1000"),
                arguments("{\"id\":\"1\",\"count\":1e65}", Payment.class, "Exponent", "(64)"),
                arguments("{\"id\":\"1\",\"count\":1e1000000000}", Payment.class, "Exponent", "(1000)"),
                arguments("{\"id\":\"1\",\"amount\":1e1001}", Payment.class, "Exponent", "(1000)"),
                arguments("{\"id\":\"1\",\"amount\":1e-1000000000}", Payment.class, "Exponent", "(1000)"),
                arguments("{\"id\":\"1\",\"amount\":\"1e1000000000\"}", Payment.class, "Exponent", "(1000)"),
                arguments("[1,1e65]", BigInteger[].class, "Exponent", "(64)"),
                arguments("{\"a\":[1.5E+1000000000]}", Object.class, "Exponent", "(1000)"),
                arguments("{\"a\":\"e\\\"1e9\",\"b\":1e-1001}", JsonNode.class, "Exponent", "(1000)"),
                arguments("\"" + "s".repeat(SIZE) + "\"", String.class, "length", "max-message-size"));
    }

    @ParameterizedTest(name = "{2} as {1}")
    @MethodSource("tooMuch")
    void refusesWhatIsTooMuchAndSaysWhichLimit(String body, Type target, String limit, String value) {
        assertThat(failure(serializer, utf8(body), target))
                .hasMessageContaining(limit)
                .hasMessageContaining(value)
                .satisfies(e -> assertThat(String.valueOf(e.getMessage())).hasSizeLessThan(400));
    }

    @Test
    void takesTheDeepestOnASmallStack() throws InterruptedException {
        byte[] linked = utf8("{\"others\":[{\"next\":".repeat(166) + "null" + "}]}".repeat(166));
        byte[] tree = utf8("[".repeat(500) + "]".repeat(500));
        List<Object> results = new ArrayList<>();
        Thread small = new Thread(
                null,
                () -> {
                    try {
                        results.add(serializer.deserialize(linked, Linked.class));
                        results.add(serializer.deserialize(tree, JsonNode.class));
                        results.add(serializer.deserialize(tree, Object.class));
                        results.add(serializer.serialize(results.get(0)));
                    } catch (Throwable e) {
                        results.add(e);
                    }
                },
                "small stack",
                768 * 1024); // 460 KB where the code is interpreted, 600 KB after its first compilation
        small.start();
        small.join();

        assertThat(results).hasSize(4).noneMatch(Throwable.class::isInstance);
    }

    @Test
    void limitsOfALooserMapperAreOurs() {
        JsonMapper loose = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(1_000_000)
                                .maxNameLength(1_000_000)
                                .maxNumberLength(1_000_000)
                                .build())
                        .streamWriteConstraints(StreamWriteConstraints.builder()
                                .maxNestingDepth(1_000_000)
                                .build())
                        .build())
                .build();
        JsonMessageSerializer limited = new JsonMessageSerializer(loose, SIZE);

        tooMuch().map(Arguments::get).forEach(attack -> assertThat(
                        failure(limited, utf8((String) attack[0]), (Type) attack[1]))
                .hasMessageContaining((String) attack[2]));
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> limited.serialize(cycle()));
    }

    @Test
    void limitsOfAStricterMapperStay() {
        JsonMapper strict = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(3)
                                .maxStringLength(5)
                                .build())
                        .build())
                .build();
        JsonMessageSerializer limited = new JsonMessageSerializer(strict, SIZE);

        assertThat(failure(limited, utf8("[[[[]]]]"), Object.class)).hasMessageContaining("(3)");
        assertThat(failure(limited, utf8("\"s3cret\""), Object.class))
                .hasMessageContaining("(5)")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void aPayloadThatContainsItselfIsNotPublished() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.serialize(cycle()))
                .withMessageContaining("nesting depth");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":\"1\",\"amount\":1,\"amount\":1000000}",
                "{\"id\":\"1\",\"amount\":1,\"unknown\":[{\"a\":0,\"a\":0}]}",
                "{\"id\":\"1\",\"amount\":1,\"\\u0061mount\":1000000}"
            })
    void refusesAPropertyThatIsThereTwice(String body) {
        for (Type target : List.of(Payment.class, Map.class, JsonNode.class, Object.class)) {
            assertThat(failure(serializer, utf8(body), target)).hasMessageContaining("duplicate property");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32LE", "UTF-32BE"})
    void refusesOtherEncodings(String encoding) throws Exception {
        byte[] body = "{\"id\":\"1\",\"amount\":1}".getBytes(encoding);

        assertThat(failure(serializer, body, Map.class)).hasMessageContaining("UTF-8");
    }

    /** Overlong, a surrogate, above the last character, cut short, alone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "c080",
                "c1a2",
                "e08080",
                "f0808080",
                "eda080",
                "edbfbf",
                "f4908080",
                "f5808080",
                "e282",
                "80",
                "ff"
            })
    void refusesWhatIsNotUtf8(String hex) {
        byte[] wrong = new BigInteger("22" + hex + "22", 16).toByteArray();

        assertThat(failure(serializer, wrong, String.class)).hasMessageContaining("UTF-8");
    }

    @Test
    void takesNumbersOfOrdinarySize() {
        assertThat(serializer.deserialize(utf8("{\"id\":\"1\",\"amount\":\"1.25e9\",\"count\":1e64}"), Payment.class))
                .isEqualTo(new Payment("1", new BigDecimal("1.25e9"), BigInteger.TEN.pow(64)));
        assertThat(serializer.deserialize(utf8("[" + "9".repeat(1_000) + "]"), BigInteger[].class))
                .isEqualTo(new BigInteger[] {new BigInteger("9".repeat(1_000))});
    }

    @Test
    void takesAllOfUtf8() {
        String text = "a\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\ud800\udc00\udbff\udfff€";

        assertThat(serializer.deserialize(utf8("\"" + text + "\""), String.class))
                .isEqualTo(text);
        assertThat(serializer.deserialize(utf8("\ufeff\"behind a mark\""), String.class))
                .isEqualTo("behind a mark");
    }

    /** All of them have the same hash code. */
    @Test
    void takesNamesThatCollide() {
        List<String> names = List.of("");
        for (int i = 0; i < 14; i++) {
            names = names.stream()
                    .flatMap(name -> Stream.of(name + "Aa", name + "BB"))
                    .toList();
        }
        String body = "{\"" + String.join("\":0,\"", names) + "\":0}";

        assertThat((Map<?, ?>) serializer.deserialize(utf8(body), Map.class)).hasSize(1 << 14);
        assertThat((JsonNode) serializer.deserialize(utf8(body), JsonNode.class))
                .hasSize(1 << 14);
    }

    private static List<Object> cycle() {
        List<Object> cycle = new ArrayList<>();
        cycle.add(List.of(cycle));
        return cycle;
    }

    private static SerializationException failure(JsonMessageSerializer serializer, byte[] body, Type target) {
        SerializationException[] failure = new SerializationException[1];
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> serializer.deserialize(body, target))
                .satisfies(e -> failure[0] = e);
        return failure[0];
    }

    private static byte[] utf8(String body) {
        return body.getBytes(StandardCharsets.UTF_8);
    }
}
