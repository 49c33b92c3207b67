// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.InvalidPublicationException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublishableHeadersTest {

    @Test
    @SuppressWarnings("JavaUtilDate") // AMQP's timestamp
    void acceptsScalars() {
        assertThatCode(() -> Headers.requirePublishable(Map.of(
                        "text",
                        "a",
                        "flag",
                        true,
                        "int",
                        1,
                        "long",
                        2L,
                        "decimal",
                        new BigDecimal("1.25"),
                        "at",
                        new Date(0))))
                .doesNotThrowAnyException();
        assertThatCode(() -> Headers.requirePublishable(Map.of())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sb-marker", "SB-x", "x-delay", "X-Death", "CC", "bcc", "__TypeId__", "traceparent"})
    void refusesReservedNames(String name) {
        refused(Map.of(name, "value"), name, "Use another name");
    }

    @Test
    void refusesStructuresWithoutPrintingThem() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> Headers.requirePublishable(Map.of("cards", List.of("secret-4111"))))
                .withMessageContaining("cards")
                .withMessageNotContaining("secret-4111");
    }

    @Test
    void refusesNullValues() {
        Map<String, Object> headers = new HashMap<>();
        @SuppressWarnings("NullAway") // what a careless caller does
        Object nothing = headers.put("tenant", null);
        assertThatCode(() -> String.valueOf(nothing)).doesNotThrowAnyException();

        refused(headers, "tenant", "null");
    }

    @Test
    void refusesDecimalsThatAmqpCannotCarry() {
        refused(Map.of("total", new BigDecimal("12345678901234.56")), "total", "Unsupported header value");
        refused(Map.of("total", new BigDecimal(BigInteger.ONE, -2)), "total", "Unsupported header value");
        refused(Map.of("total", new BigDecimal(BigInteger.ONE, 256)), "total", "Unsupported header value");
    }

    @Test
    void refusesNamesThatDoNotFit() {
        refused(Map.of("", "value"), "Invalid header name");
        refused(Map.of("é".repeat(128), "value"), "Invalid header name");
        assertThatCode(() -> Headers.requirePublishable(Map.of("n".repeat(255), "value")))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesMoreThan100() {
        Map<String, Object> headers = new HashMap<>();
        for (int i = 0; i < 101; i++) {
            headers.put("h" + i, i);
        }
        refused(headers, "Too many headers [count=101]", "payload");
        headers.remove("h0");
        assertThatCode(() -> Headers.requirePublishable(headers)).doesNotThrowAnyException();
    }

    @Test
    void refusesMoreThan32KibiBytes() {
        refused(Map.of("large", "x".repeat(33_000)), "Headers too large", "payload");
    }

    private static void refused(Map<String, Object> headers, String... told) {
        var thrown = assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> Headers.requirePublishable(headers));
        for (String text : told) {
            thrown.withMessageContaining(text);
        }
    }
}
