// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MaskedFieldsTest {

    private static final BodyMasker MASKER = BodyMasker.fields("iban", "card.number");

    private static PoisonedMessage message(Map<String, Object> headers) {
        return new PoisonedMessage("", "m-1", "c-1", "Pay", "", "", null, "", "", 1, "", headers, Verdict.RUN, "");
    }

    private static String masked(String body) {
        return MASKER.mask(message(Map.of()), body.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"iban":"DE02"}                        | {"iban":"***"}
            {"order":{"iban":"DE02","n":1}}        | {"order":{"iban":"***","n":1}}
            [{"iban":"DE02"},{"iban":"DE03"}]      | [{"iban":"***"},{"iban":"***"}]
            {"card":{"number":4711,"name":"Ann"}}  | {"card":{"number":0,"name":"Ann"}}
            {"number":4711}                        | {"number":4711}
            {"card":[{"number":4711}]}             | {"card":[{"number":0}]}
            {"a":{"card":{"number":true}}}         | {"a":{"card":{"number":false}}}
            {"iban":{"a":"x","b":[1,null,"y"]}}    | {"iban":{"a":"***","b":[0,null,"***"]}}
            {"iban":null}                          | {"iban":null}
            {"IBAN":"DE02"}                        | {"IBAN":"***"}
            {"myiban":"DE02"}                      | {"myiban":"DE02"}
            {"card.number":4711}                   | {"card.number":0}
            {"text":"{\\"iban\\":\\"DE02\\"}"}     | {"text":"{\\"iban\\":\\"DE02\\"}"}
            {"amount":10000000.00}                 | {"amount":10000000.00}
            """)
    void masksByNameAndKeepsTypes(String body, String shown) {
        assertThat(masked(body)).isEqualTo(shown);
    }

    @Test
    void masksHeadersOfTheSameNamesToo() {
        Map<String, Object> headers = Map.of(
                "Iban",
                "DE02",
                "tenant",
                "shop",
                "card",
                Map.of("number", 4711, "name", "Ann"),
                "cards",
                List.of(Map.of("iban", true)));

        assertThat(MASKER.maskHeaders(message(headers)))
                .isEqualTo(Map.of(
                        "Iban",
                        "***",
                        "tenant",
                        "shop",
                        "card",
                        Map.of("number", 0, "name", "Ann"),
                        "cards",
                        List.of(Map.of("iban", false))));
    }

    @Test
    void aMaskerOfBodiesAloneShowsNoHeader() {
        BodyMasker bodies = (message, body) -> "***";

        assertThat(bodies.maskHeaders(message(Map.of("iban", "DE02", "n", 1))))
                .isEqualTo(Map.of("iban", "***", "n", "***"));
        assertThat(BodyMasker.none().maskHeaders(message(Map.of("iban", "DE02"))))
                .isEqualTo(Map.of("iban", "DE02"));
    }

    @Test
    void masksStatesToo() {
        SagaView saga = new SagaView(
                "Order",
                "o-1",
                SagaStatus.ACTIVE,
                1,
                1,
                "{\"iban\":\"DE02\",\"name\":\"Ann\"}",
                false,
                Instant.EPOCH,
                Instant.EPOCH,
                null,
                null,
                List.of(),
                Map.of(),
                List.of(),
                null,
                null,
                List.of());

        assertThat(MASKER.maskState(saga)).isEqualTo("{\"iban\":\"***\",\"name\":\"Ann\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"iban=DE02", "{\"iban\":\"DE02\"", "<iban>DE02</iban>"})
    void showsNothingOfWhatIsNoJson(String body) {
        assertThat(masked(body)).startsWith("not shown").doesNotContain("DE02");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "card.", ".number", "a..b"})
    void refusesAFieldWithoutAName(String field) {
        assertThatThrownBy(() -> BodyMasker.fields("iban", field)).hasMessageContaining("SB-5001");
    }

    @Test
    void refusesToMaskNothing() {
        assertThatThrownBy(() -> BodyMasker.fields()).hasMessageContaining("SB-5001");
    }
}
