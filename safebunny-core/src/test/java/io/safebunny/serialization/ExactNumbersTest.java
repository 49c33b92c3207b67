// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** Payloads with numbers whose type nobody has declared, whatever the application's mapper says. */
class ExactNumbersTest {

    record Payload(JsonNode tree, Map<String, Object> map, Object any) {}

    static List<JsonMapper> mappers() {
        return List.of(
                JsonMapper.shared(),
                JsonMapper.builder()
                        .disable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                        .enable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void keepTheirDigits(JsonMapper mapper) {
        JsonMessageSerializer serializer = new JsonMessageSerializer(mapper, 1_000_000);
        for (String digits : List.of("1000000000000000.01", "0.50", "10000000.00", "1E+7", "1E-300")) {
            BigDecimal number = new BigDecimal(digits);
            Payload payload = new Payload(
                    JsonNodeFactory.instance.objectNode().put("n", number), Map.of("n", number), List.of(number));
            byte[] body = serializer.serialize(payload);

            assertThat(serializer.deserialize(body, Payload.class)).isEqualTo(payload);
            assertThat(new String(body, StandardCharsets.UTF_8)).contains(digits);
        }
    }
}
