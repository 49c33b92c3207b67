// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.Wires;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client chooses fields of the payload, and handlers make keys, names of steps and rows of them: no half of a character comes in. */
class BrokenCharactersTest {

    private final Node node = new Node(Node.ONE_ATTEMPT);

    private void refused(byte[] body) {
        node.deliver(
                new Wires(Wires.orderPlaced().properties(), Wires.orderPlaced().headers(), body));

        assertThat(node.runs).hasValue(0);
        assertThat(node.transport.poisoned()).singleElement().satisfies(copy -> assertThat(
                        copy.message().headers())
                .containsEntry("sb-poison-reason", "malformed-body"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\ud800",
                "\\uDFFF",
                "\\uD83Dx",
                "\\ud83d\\ud83d",
                "\\udc00\\ud800",
                "\\\\\\ud800",
                "\\ud83d\\n",
            })
    void halvesOfCharactersAreRefused(String text) {
        refused("{\"orderId\":\"%s\",\"total\":42}".formatted(text).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void alsoInNamesOfPropertiesThatNobodyReads() {
        refused("{\"orderId\":\"o-1\",\"total\":42,\"more\":{\"\\ud800\":1}}".getBytes(StandardCharsets.UTF_8));
    }

    /** Decoders make halves of the first two, and other characters than were meant of the rest. */
    @ParameterizedTest
    @ValueSource(strings = {"f5808080", "f4908080", "eda080", "c080", "e08080", "f0808080", "ff", "80", "c3"})
    void bytesThatAreNotUtf8AreRefused(String hex) {
        byte[] body = "{\"orderId\":\"????\",\"total\":42}".getBytes(StandardCharsets.ISO_8859_1);
        byte[] bytes = HexFormat.of().parseHex(hex);
        System.arraycopy(bytes, 0, body, 12, bytes.length);
        refused(body);
    }

    @Test
    void otherEncodingsAreRefused() {
        refused("{\"orderId\":\"o-1\",\"total\":42}".getBytes(UTF_16));
    }

    @Test
    void alsoWithoutAByteOrderMark() {
        refused("{\"orderId\":\"o-1\",\"total\":42}".getBytes(UTF_16LE));
    }

    @Test
    void wholeCharactersComeIn() {
        AtomicReference<Object> received = new AtomicReference<>();
        node.handler = (payload, context) -> received.set(payload);
        node.deliver(Wires.orderPlaced()
                .withBody("{\"orderId\":\"\\ud83d\\uDC07🐇é世\\u0000\\\\ud800\\uffff\",\"total\":42}"));

        assertThat(received.get()).isEqualTo(new OrderPlaced("🐇🐇é世\u0000\\ud800\uffff", 42));
    }
}
