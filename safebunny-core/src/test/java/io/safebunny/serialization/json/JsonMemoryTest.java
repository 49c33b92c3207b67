// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What remains on the heap of a body, against what docs/guarantees.md promises. */
class JsonMemoryTest {

    private static final int SIZE = 1_000_000;
    private static final int FACTOR = 25;

    private static final List<Type> TARGETS = List.of(
            Object.class,
            JsonNode.class,
            Map.class,
            new TypeReference<List<Map<String, Object>>>() {}.getType(),
            new TypeReference<List<Set<Object>>>() {}.getType(),
            new TypeReference<List<Set<Set<Object>>>>() {}.getType());

    private final JsonMessageSerializer serializer = new JsonMessageSerializer();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "[0]",
                "[[0]]",
                "[\"x\"]",
                "[[\"x\"]]",
                "{\"\":0}",
                "{\"\":[]}",
                "{\"\":{}}",
                "0",
                "99",
                "1e9",
                "\"x\"",
                "\"\"",
                "\"\u20ac\"",
                "[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]",
                "{\"a\":{\"a\":{\"a\":{}}}}",
                "{\"a\":[1.5,true,\"x\"]}"
            })
    void aBodyTakesTwentyFiveTimesItsLimitAtMost(String element) {
        requireBounded(
                IntStream.range(0, most(element)).mapToObj(i -> element).collect(Collectors.joining(",", "[", "]")));
    }

    /** As many as the limits on size and tokens let through. */
    private static int most(String element) {
        int tokens = 0;
        try (JsonParser parser = JsonMapper.shared().createParser(element)) {
            while (parser.nextToken() != null) {
                tokens++;
            }
        }
        int bytes = element.getBytes(StandardCharsets.UTF_8).length + 1;
        return Math.min((SIZE - 2) / bytes, (SIZE / 4 - 2) / tokens);
    }

    @Test
    void anObjectOfManyNamesTakesTwentyFiveTimesItsLimitAtMost() {
        for (String value : List.of("0", "{}", "[]", "99")) {
            requireBounded(IntStream.range(0, Math.min(SIZE / (9 + value.length()), SIZE / 4 / 4))
                    .mapToObj(i -> "\"" + Integer.toString(i, 36) + "\":" + value)
                    .collect(Collectors.joining(",", "{", "}")));
        }
    }

    /** Names that are not shared, in objects of their own. */
    @Test
    void manyObjectsTakeTwentyFiveTimesItsLimitAtMost() {
        for (String value : List.of("\"x\"", "{}", "[[\"x\"]]")) {
            requireBounded(IntStream.range(0, most("{\"name\":" + value + "}"))
                    .mapToObj(i -> "{\"" + Integer.toString(i, 36) + "\":" + value + "}")
                    .collect(Collectors.joining(",", "[", "]")));
        }
    }

    @ParameterizedTest
    @CsvSource({"48000, 10", "990, 59"})
    void ofNamesThatWereReadLittleIsKept(int length, int bodies) {
        long before = used();
        for (int body = 0; body < bodies; body++) {
            String begin = "\"" + "n".repeat(length) + body + "-";
            String names = IntStream.range(0, 100)
                    .mapToObj(i -> begin + i + "\":0")
                    .collect(Collectors.joining(",", "{", "}"));
            try {
                Object unused = serializer.deserialize(names.getBytes(StandardCharsets.UTF_8), Map.class);
            } catch (SerializationException e) {
                assertThat(e).hasMessageContaining("Name length");
            }
        }

        assertThat(used() - before).isLessThan(20_000_000);
    }

    private void requireBounded(String json) {
        JsonMessageSerializer sized = new JsonMessageSerializer(JsonMapper.shared(), SIZE);
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        long before = used();
        for (Type target : TARGETS) {
            Object payload;
            try {
                payload = sized.deserialize(body, target);
            } catch (SerializationException e) {
                assertThat(e).hasMessageNotContaining("exceeds");
                continue; // another shape
            }
            long taken = used() - before;
            assertThat(payload == null).isFalse(); // it was there until now
            assertThat(taken).as(target.getTypeName()).isLessThan((long) FACTOR * SIZE);
        }
    }

    private static long used() {
        System.gc();
        Runtime jvm = Runtime.getRuntime();
        return jvm.totalMemory() - jvm.freeMemory();
    }
}
