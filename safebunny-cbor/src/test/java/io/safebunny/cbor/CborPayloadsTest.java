// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.serialization.json.JsonMessageSerializer;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

/** What JSON reads back equal, CBOR does, and shown as JSON it is what JSON would have written. */
class CborPayloadsTest {

    enum Kind {
        DEBIT,
        CREDIT
    }

    record Money(BigDecimal amount, String currency) {}

    record Line(String sku, int count, Optional<String> note) {}

    record Page<T>(List<T> items, @Nullable T first) {}

    record Booked(
            UUID id,
            Kind kind,
            Money money,
            Instant at,
            LocalDate day,
            Duration pause,
            BigInteger huge,
            Optional<Money> fee,
            Map<String, List<Line>> lines,
            double rate,
            float ratio,
            boolean last,
            @Nullable String none) {}

    private static final Booked BOOKED = new Booked(
            UUID.fromString("7f6b1d7e-11aa-4c0f-9d4e-2f1a7a6a3b11"),
            Kind.CREDIT,
            new Money(new BigDecimal("1999.10"), "EUR"),
            Instant.parse("2026-01-02T03:04:05.123456789Z"),
            LocalDate.of(2026, 2, 28),
            Duration.ofMillis(1_500),
            BigInteger.TWO.pow(200).negate(),
            Optional.of(new Money(new BigDecimal("-0.0000001"), "BTC")),
            Map.of("ü 🐇", List.of(new Line("a", -1, Optional.empty()), new Line("", 1 << 30, Optional.of("x")))),
            0.1,
            1.1f,
            true,
            null);

    private final CborMessageSerializer cbor = new CborMessageSerializer();
    private final JsonMessageSerializer json = new JsonMessageSerializer();

    static Stream<Object[]> payloads() {
        return Stream.of(
                new Object[] {BOOKED, Booked.class},
                new Object[] {new Money(new BigDecimal("1E+3"), ""), Money.class},
                new Object[] {
                    new Page<>(List.of(new Page<>(List.of(new Money(BigDecimal.TEN, "EUR")), null)), null),
                    new ParameterizedTypeReference<Page<Page<Money>>>() {}.getType()
                },
                new Object[] {List.of(1L, Long.MIN_VALUE), new ParameterizedTypeReference<List<Long>>() {}.getType()});
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void readBackAsFromJson(Object payload, Type type) {
        Object read = cbor.deserialize(cbor.serialize(payload), type);

        assertThat(read)
                .isEqualTo(json.deserialize(json.serialize(payload), type))
                .isEqualTo(payload);
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void areShownAsJsonWouldHaveWrittenThem(Object payload, Type type) {
        byte[] shown = cbor.toJson(cbor.serialize(payload));

        assertThat(json.deserialize(shown, type)).isEqualTo(payload);
        assertThat(JsonMapper.shared().readTree(shown))
                .isEqualTo(JsonMapper.shared().readTree(json.serialize(payload)));
    }
}
