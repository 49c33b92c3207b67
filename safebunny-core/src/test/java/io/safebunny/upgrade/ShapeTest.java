// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Base64;
import java.util.Currency;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What reads a text reads its mask as well. */
class ShapeTest {

    private static Arguments read(String text, Function<String, Object> by) {
        return Arguments.of(text, by);
    }

    static Stream<Arguments> texts() {
        return Stream.of(
                read("2026-03-01T10:00:00Z", Instant::parse),
                read("2026-03-01T10:00:00.123456Z", Instant::parse),
                read("2026-03-01T10:00:00+02:00", OffsetDateTime::parse),
                read("2026-03-01T10:00:00+01:00[Europe/Berlin]", ZonedDateTime::parse),
                read("2026-03-01", LocalDate::parse),
                read("2026-03", YearMonth::parse),
                read("10:15", LocalTime::parse),
                read("10:15:59.9", LocalTime::parse),
                read("PT15M", Duration::parse),
                read("P1Y2M3D", Period::parse),
                read("Europe/Berlin", ZoneId::of),
                read("3cd60d04-a7c4-8653-bce0-9d3a76cd512c", UUID::fromString),
                read("EUR", Currency::getInstance),
                read("12.50", java.math.BigDecimal::new),
                read("-3E5", java.math.BigDecimal::new),
                read("true", Boolean::valueOf),
                read("https://example.org/a/b?c=d", URI::create),
                read("SGVsbG8gV29ybGQ=", Base64.getDecoder()::decode),
                read("deadbeef01", text -> Long.parseUnsignedLong(text, 16)));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void isReadAsTheTextItself(String text, Function<String, Object> by) {
        for (char digit : List.of('1', '9')) {
            String shape = Shape.of(text, digit);

            assertThatCode(() -> by.apply(shape)).as(shape).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Ann O'Neil-Smith, Xxx X'Xxxx-Xxxxx",
        "ann@example.org, xxx@xxxxxxx.xxx",
        "Zoë Ångström 7, Xxx Xxxxxxxx 1",
        "order-4711, xxxxx-1111",
        "+49 170 123, +11 111 111",
        "四川, xx",
        "PTSD, XXXX",
        "PMS, XXX",
        "P.S., X.X.",
        "P1D, P1D",
        "true, false",
        "FALSE, FALSE"
    })
    void saysNothingOfIt(String text, String shape) {
        assertThat(Shape.of(text, '1')).isEqualTo(shape);
    }
}
