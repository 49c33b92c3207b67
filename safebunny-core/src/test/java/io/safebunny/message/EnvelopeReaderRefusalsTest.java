// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.fixture.Wires;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeReaderRefusalsTest {

    @ParameterizedTest
    @ValueSource(strings = {"message_id", "correlation_id", "type"})
    void refusesAMessageWithoutARequiredProperty(String property) {
        refused(
                Wires.orderPlaced().with(property, null),
                PoisonReason.MISSING_PROPERTY,
                "Missing property [" + property);
        refused(Wires.orderPlaced().with(property, ""), PoisonReason.MISSING_PROPERTY, "Missing property [" + property);
    }

    static Stream<Arguments> wrongHeaders() {
        return Stream.of(
                Arguments.of("sb-attempt", "3"),
                Arguments.of("sb-attempt", List.of(3)),
                Arguments.of("sb-attempt", Map.of()),
                Arguments.of("sb-attempt", -1),
                Arguments.of("sb-attempt", 1.0),
                Arguments.of("sb-attempt", 1_000_001),
                Arguments.of("sb-attempt", Long.MAX_VALUE),
                Arguments.of("sb-attempt", Long.MIN_VALUE),
                Arguments.of("sb-marker", 0),
                Arguments.of("sb-marker", -1),
                Arguments.of("sb-marker", "2"),
                Arguments.of("sb-marker", Integer.MAX_VALUE + 1L),
                Arguments.of("sb-sent-at", "2026-01-01T00:00:00Z"),
                Arguments.of("sb-sent-at", -1L),
                Arguments.of("sb-version", 0),
                Arguments.of("sb-version", -1),
                Arguments.of("sb-version", 1_000_001),
                Arguments.of("sb-version", 1L << 31),
                Arguments.of("sb-version", (1L << 32) + 2),
                Arguments.of("sb-version", "2"),
                Arguments.of("sb-version", 2.0),
                Arguments.of("sb-version", List.of(2)),
                Arguments.of("sb-causation-id", 7),
                Arguments.of("sb-causation-id", "no id"),
                Arguments.of("sb-causation-id", "i".repeat(129)),
                Arguments.of("sb-causation-id", List.of("a")),
                Arguments.of("sb-undoes", ""),
                Arguments.of("sb-undoes", "no id"),
                Arguments.of("sb-undoes", "i".repeat(129)),
                Arguments.of("sb-undoes", 7),
                Arguments.of("sb-undoes", Wires.ID)); // its own
    }

    @ParameterizedTest
    @MethodSource("wrongHeaders")
    void refusesOurHeadersInAnotherForm(String name, Object value) {
        refused(Wires.orderPlaced().withHeader(name, value), PoisonReason.MISSING_PROPERTY, name, "it must be");
    }

    @Test
    void refusesIdsThatAreNone() {
        refused(
                Wires.orderPlaced().with("message_id", "a b"),
                PoisonReason.MISSING_PROPERTY,
                "message_id=a b",
                "[A-Za-z0-9._:-]{1,128}");
        refused(
                Wires.orderPlaced().with("correlation_id", "c".repeat(65)),
                PoisonReason.MISSING_PROPERTY,
                "correlation_id",
                "[A-Za-z0-9._:-]{1,64}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", ""})
    void refusesEncodedBodies(String encoding) {
        refused(
                Wires.orderPlaced().with("content_encoding", encoding),
                PoisonReason.MALFORMED_BODY,
                "content_encoding");
    }

    @Test
    void printsWhatItFoundOnOneShortLine() {
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> Wires.orderPlaced()
                        .withHeader("sb-attempt", "\r\n2026 INFO forged" + "x".repeat(10_000))
                        .envelope())
                .satisfies(e ->
                        assertThat(e.getMessage()).doesNotContain("\r", "\n").hasSizeLessThan(300));
    }

    private static void refused(Wires message, PoisonReason reason, String... told) {
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(message::envelope)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
                .satisfies(e -> assertThat(e.getMessage()).contains(told));
    }
}
