// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordJsonTest {

    @Test
    @SuppressWarnings("JavaUtilDate") // the client library's type for timestamps
    void bringsMessagesBackAsTheyWere() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("string", "Grüße \" \\ \n");
        headers.put("true", true);
        headers.put("int", -1);
        headers.put("long", 1L);
        headers.put("short", (short) 1);
        headers.put("byte", (byte) 1);
        headers.put("float", Float.NaN);
        headers.put("double", 1.0d);
        headers.put("decimal", new BigDecimal("1.50"));
        headers.put("date", new Date(-1_000));
        List<OutboundMessage> outgoing = List.of(
                message(new Route.ToSubscribers("orders-A"), headers, "{\"a\":\"Grüße 🐇\0\"}".getBytes(UTF_8))
                        .withDroppedIfUnheard(true),
                message(new Route.ToQueue("billing-A"), Map.of(), new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}),
                message(new Route.Poison("billing"), Map.of(), new byte[0]));

        assertThat(RecordJson.readOutgoing(RecordJson.writeOutgoing(outgoing)))
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .withEqualsForType(Float::equals, Float.class) // NaN, and no tolerance
                .withEqualsForType(Double::equals, Double.class)
                .isEqualTo(outgoing);
    }

    @Test
    void bringsStepsBackAsTheyWere() {
        Map<String, String> steps = Map.of("", "", "größe \"x\"", "{\"a\":\"\\n\"}", "null", "null");

        assertThat(RecordJson.readSteps(RecordJson.writeSteps(steps))).isEqualTo(steps);
    }

    @Test
    void ignoresWhatItDoesNotKnowAndDefaultsWhatIsAbsent() {
        assertThat(RecordJson.readOutgoing("[{\"queue\":\"q\",\"text\":\"\",\"priority\":{\"of\":[1]}}]"))
                .usingRecursiveComparison()
                .isEqualTo(List.of(new OutboundMessage(
                        new WireMessage(null, null, null, null, null, null, null, Map.of(), new byte[0]),
                        new Route.ToQueue("q"),
                        Duration.ZERO)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "1",
                "{}",
                "[",
                "[1]",
                "[{}]",
                "[] []",
                "{\"a\":1}",
                "[{\"queue\":\"q\"}]",
                "[{\"text\":\"\"}]",
                "[{\"queue\":\"q\",\"base64\":\"?\"}]",
                "[{\"queue\":\"q\",\"text\":\"\",\"delay\":\"soon\"}]",
                "[{\"queue\":\"q\",\"text\":\"\",\"headers\":{\"a\":{}}}]",
                "[{\"queue\":\"q\",\"text\":\"\",\"headers\":{\"a\":{\"uuid\":\"1\"}}}]",
                "[{\"queue\":\"q\",\"text\":\"\",\"headers\":{\"a\":null}}]",
                "[{\"queue\":\"q\",\"text\":\"\",\"headers\":{\"a\":1.5}}]",
                "[{\"queue\":{},\"text\":\"\"}]"
            })
    void refusesPublicationsItDidNotWrite(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RecordJson.readOutgoing(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "1", "[]", "{", "{\"a\":{}}", "{\"a\":null}", "{\"a\":1}"})
    void refusesStepsItDidNotWrite(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RecordJson.readSteps(text));
    }

    @Test
    void refusesWhatIsDeeperOrTwiceOrFollowedBySomething() {
        String deep = "[".repeat(17) + "]".repeat(17);
        for (String text :
                List.of("{\"a\":\"1\",\"a\":\"2\"}", "{\"a\":\"1\"}{}", "{\"a\":\"1\"," + "\"b\":" + deep + "}")) {
            assertThatIllegalArgumentException().isThrownBy(() -> RecordJson.readSteps(text));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> RecordJson.readOutgoing("[{\"new\":" + deep + "}]"));
    }

    private static OutboundMessage message(Route route, Map<String, Object> headers, byte[] body) {
        return new OutboundMessage(
                new WireMessage("id", "c", "A", "orders", 1L, null, "utf-8", headers, body),
                route,
                Duration.ofMillis(1_001));
    }
}
