// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderKeyTest {

    private static WireMessage message(@Nullable String correlationId, Map<String, Object> headers) {
        return new WireMessage("id", correlationId, "Ping", null, null, null, null, headers, new byte[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "customer:42.eu", "A_b-9"})
    void isReadFromItsHeader(String key) {
        assertThat(OrderKey.of(message("saga", Map.of("sb-order-key", key)))).isEqualTo(new OrderKey(key));
    }

    @Test
    void isTheCorrelationIdWithoutTheHeader() {
        assertThat(OrderKey.of(message("saga-1", Map.of("other", "x")))).isEqualTo(new OrderKey("saga-1"));
        assertThat(OrderKey.of(message(null, Map.of()))).isNull();
        assertThat(OrderKey.of(message("not an id", Map.of()))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "ä", "a/b", "a\n"})
    void isNullRatherThanTheCorrelationIdIfTheHeaderCannotBeRead(String key) {
        assertThat(OrderKey.of(message("saga-1", Map.of("sb-order-key", key)))).isNull();
        assertThat(OrderKey.of(message("saga-1", Map.of("sb-order-key", 42L)))).isNull();
        Map<String, Object> nothing = new HashMap<>();
        nothing.put("sb-order-key", null);
        assertThat(OrderKey.of(message("saga-1", nothing))).isNull();
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new OrderKey(key))
                .withMessageContaining("Invalid order key")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-5001"));
    }

    @Test
    void onlyAMarkWithoutAReadableOneWaitsForAll() {
        assertThat(OrderKey.waitsForAll(message(null, Map.of("sb-mark", "token"))))
                .isTrue();
        assertThat(OrderKey.waitsForAll(message("saga", Map.of("sb-mark", "token", "sb-order-key", ""))))
                .isTrue();
        assertThat(OrderKey.waitsForAll(message("saga", Map.of("sb-mark", "token"))))
                .isFalse();
        assertThat(OrderKey.waitsForAll(message(null, Map.of()))).isFalse();
    }

    @Test
    void onlyAReplayAndAnUndoPassWhatIsKept() {
        assertThat(OrderKey.passesKept(message("saga", Map.of("sb-poisoned-at", 1L))))
                .isTrue();
        assertThat(OrderKey.passesKept(message("saga", Map.of("sb-undoes", "id"))))
                .isTrue();
        assertThat(OrderKey.passesKept(message("saga", Map.of("sb-poison-version", 1L, "sb-mark", "token"))))
                .isFalse();
    }

    @Test
    void hasUpTo128Characters() {
        assertThat(new OrderKey("k".repeat(128)).value()).hasSize(128);
        assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> new OrderKey("k".repeat(129)));
    }

    /** As every other program computes it. */
    @Test
    void belongsToTheBucketOfTheFirstByteOfItsSha256() {
        assertThat(new OrderKey("customer:42.eu").bucket()).isEqualTo(122);
        assertThat(new OrderKey("a").bucket()).isEqualTo(202);
    }

    @Test
    void belongsToOneOf256Buckets() {
        assertThat(IntStream.range(0, 10_000)
                        .map(i -> new OrderKey("key-" + i).bucket())
                        .distinct()
                        .sorted()
                        .toArray())
                .isEqualTo(IntStream.range(0, 256).toArray());
    }
}
