// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SagaCorrelationTest {

    private static final String WHERE = "OrderSaga.on(Paid)";

    record Order(@Nullable String id, long number, UUID uuid) {}

    record Paid(@Nullable Order order, List<String> ids, Map<String, String> names) {}

    private static final UUID RANDOM = new UUID(1, 2);
    private static final Paid PAID =
            new Paid(new Order("o-1", 42, RANDOM), List.of("first", "second"), Map.of("key", "value"));

    /** A bean, as older applications have them, open to subclasses. */
    public static class Bean {
        public final String field = "of a field";

        public String getId() {
            return "b-1";
        }

        public String getBroken() {
            throw new IllegalStateException("s3cret");
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "order.id, o-1",
                "order?.id, o-1",
                "order.number, 42",
                "order.uuid, 00000000-0000-0001-0000-000000000002",
                "ids[1], second",
                "names['key'], value",
                "'order-' + order.number, order-42",
            })
    void readsTheComponentsOfRecords(String expression, String id) {
        assertThat(parse(expression, Paid.class).apply(PAID)).isEqualTo(id);
    }

    @Test
    void readsGettersAndFields() {
        assertThat(parse("id", Bean.class).apply(new Bean())).isEqualTo("b-1");
        assertThat(parse("field", Bean.class).apply(new Bean())).isEqualTo("of a field");
    }

    @Test
    void findsNoIdWhereSomethingIsNull() {
        SagaCorrelation correlation = parse("order.id", Paid.class);

        assertThat(correlation.apply(new Paid(null, List.of(), Map.of()))).isNull();
        assertThat(correlation.apply(new Paid(new Order(null, 1, RANDOM), List.of(), Map.of())))
                .isNull();
    }

    @Test
    void saysWhyAPayloadDoesNotFitWithoutItsValues() {
        for (String expression : List.of("broken", "missing")) {
            assertThatExceptionOfType(PoisonMessageException.class)
                    .isThrownBy(() -> parse(expression, Bean.class).apply(new Bean()))
                    .withMessageContaining(WHERE)
                    .withMessageContaining(expression)
                    .withMessageNotContaining("s3cret")
                    .withNoCause();
        }
        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> parse("ids[7]", Paid.class).apply(PAID))
                .withMessageContaining("ids[7]")
                .withNoCause();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "order.",
                "order.id.length()",
                "T(java.lang.Runtime).runtime",
                "new String('x')",
                "@bean.id",
                "#id",
                "order.number++",
                "order = null",
                "ids[T(java.lang.Math).random()]",
                "typo",
                "order.typo",
            })
    void refusesWhatCannotBeEvaluated(String expression) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> parse(expression, Paid.class))
                .withMessageContaining(WHERE)
                .withMessageContaining("@CorrelatedBy=" + expression)
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1107"))
                .satisfies(e -> assertThat(e.action()).contains("@CorrelatedBy(\"order.id\")"));
    }

    private static SagaCorrelation parse(String expression, Class<?> payload) {
        return SagaCorrelation.parse(WHERE, expression, payload);
    }
}
