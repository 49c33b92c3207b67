// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import java.math.BigDecimal;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IncomingHeadersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CC",
                "cc",
                "BCC",
                "Bcc",
                "x-death",
                "X-Death",
                "x-first-death-queue",
                "x-delivery-count",
                "x-acquired-count",
                "x-delay",
                "x-exception-message",
                "__TypeId__",
                "__typeid__",
                "__ContentTypeId__",
                "__KeyTypeId__",
                "spring_listener_return_correlation",
                "spring_returned_message_correlation",
                "sb-marker",
                "sb-attempt",
                "SB-Attempt",
                "sb-anything",
                "traceparent",
                "TraceState"
            })
    void carriesNoneOfTheHeadersOfBrokerAndLibraries(String name) {
        assertThat(Headers.application(Map.of(name, "value"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tenant", "Tenant", "xray", "sbx", "ccc", "a b", "baggage"})
    void carriesTheApplicationsOwn(String name) {
        assertThat(Headers.application(Map.of(name, "value"))).containsExactly(entry(name, "value"));
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // AMQP's timestamp
    void carriesScalarsAndLeavesStructuresBehind() {
        Map<String, Object> wire = new LinkedHashMap<>();
        wire.put("text", "a");
        wire.put("flag", true);
        wire.put("int", 1);
        wire.put("long", 2L);
        wire.put("short", (short) 3);
        wire.put("byte", (byte) 4);
        wire.put("double", 1.5);
        wire.put("float", 2.5f);
        wire.put("decimal", new BigDecimal("1.25"));
        wire.put("date", new Date(0));
        Map<String, Object> all = new LinkedHashMap<>(wire);
        all.put("list", List.of("a"));
        all.put("map", Map.of("a", "b"));
        all.put("bytes", new byte[] {1});

        assertThat(Headers.application(all)).isEqualTo(wire);
    }

    @Test
    void carriesEveryHeaderHoweverMany() {
        Map<String, Object> wire = new LinkedHashMap<>();
        for (int i = 0; i < 150; i++) {
            wire.put("h" + i, i);
        }

        assertThat(Headers.application(wire)).isEqualTo(wire);
        assertThat(Headers.copied(wire)).isEqualTo(wire);
        assertThat(read(wire).headers()).isEqualTo(wire);
    }

    @Test
    void carriesEverythingThatApplicationsMayPublish() {
        Map<String, Object> wire = Map.of("a", "x".repeat(11_000), "b", "y".repeat(11_000), "c", 1);

        assertThatCode(() -> Headers.requirePublishable(wire)).doesNotThrowAnyException();
        assertThat(read(wire).headers()).isEqualTo(wire);
    }

    @Test
    void countsBytesAsTheyAreOnTheWire() {
        assertThat(HeaderBytes.of(Map.of("a", "x".repeat(1_000)))).isEqualTo(1 + 1 + 1 + 4 + 1_000);
        assertThat(HeaderBytes.of(Map.of("a", "é".repeat(1_000)))).isEqualTo(1 + 1 + 1 + 4 + 2_000);
        assertThat(HeaderBytes.of(Map.of("a", "€".repeat(1_000)))).isEqualTo(1 + 1 + 1 + 4 + 3_000);
        assertThat(HeaderBytes.of(Map.of("a", "🐇".repeat(1_000)))).isEqualTo(1 + 1 + 1 + 4 + 4_000);
    }

    @Test
    void refusesWhatItsCopiesCouldNotCarry() {
        Map<String, Object> wire = Map.of("small", "a", "large", "x".repeat(82_000));

        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> read(wire))
                .withMessageContaining("Headers too large")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(PoisonReason.TOO_LARGE));
        assertThat(Headers.copied(wire)).isEqualTo(wire);
    }

    @Test
    void refusesHeadersOfALaterVersionThatItsCopiesCouldNotCarry() {
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> read(Map.of("sb-later", "x".repeat(8_200))))
                .withMessageContaining("sb-");
    }

    private static Envelope read(Map<String, Object> headers) {
        return EnvelopeReader.read(
                new WireMessage("id", "saga", "OrderPlaced", "orders", null, null, null, headers, new byte[0]));
    }

    @Test
    void readsNoTraceContextThatIsNotText() {
        assertThat(Headers.trace(Map.of("traceparent", 7))).isEmpty();
        assertThat(Headers.trace(Map.of("tracestate", "v=1"))).isEmpty();
    }
}
