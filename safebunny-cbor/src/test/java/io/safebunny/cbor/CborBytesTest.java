// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.safebunny.serialization.SerializationException;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies that nobody should have sent. */
class CborBytesTest {

    record Text(String text) {}

    record Anything(Object value) {}

    private final CborMessageSerializer cbor = new CborMessageSerializer();

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "'', it ends early",
        "a1 64 74657874, it ends early",
        "a1 64 74657874 61, it ends early",
        "a1 64 74657874 62 6161 00, there are bytes after the value",
        "a1 64 74657874 7b 7fffffffffffffff 61, it ends early: more bytes are announced",
        "a1 64 74657874 7b ffffffffffffffff 61, it ends early: more bytes are announced",
        "a1 64 74657874 5a 7fffffff 61, it ends early: more bytes are announced",
        "9b 7fffffffffffffff, more elements are announced",
        "bb ffffffffffffffff, more elements are announced",
        "ba 7fffffff 00 00, more elements are announced",
        "a1 64 74657874 62 c0af, a text is not UTF-8",
        "a1 64 74657874 63 eda080, a text is not UTF-8",
        "a1 64 74657874 7f 61 61 41 61 ff, a chunk of another kind",
        "a1 64 74657874 1c, reserved length",
        "e3, a simple value without a meaning",
        "f8 ff, a simple value without a meaning",
        "ff, a value without length",
        "d9 0100 a1 64 74657874 61 61, references to texts",
        "d8 19 00, references to texts",
        "a1 65 76616c7565 c4 82 1a 3b9aca00 01, exponent of a number",
        "a1 65 76616c7565 c4 82 3a 3b9aca00 01, exponent of a number",
        "a1 65 76616c7565 c5 82 1b ffffffffffffffff 01, exponent of a number",
        "a1 65 76616c7565 c4 98 02 1a 3b9aca00 01, a decimal that is no plain array of two",
        "a1 65 76616c7565 c4 d8 00 82 1a 3b9aca00 01, a decimal that is no plain array of two",
    })
    void areRefusedBeforeJacksonReadsThem(String hex, String why) {
        for (Class<?> type : List.of(Text.class, Anything.class, Object.class)) {
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> cbor.deserialize(bytes(hex), type))
                    .withMessageContaining("Cannot read CBOR as " + type.getName() + ": " + why);
        }
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> cbor.toJson(bytes(hex)));
    }

    @Test
    void nestingIsLimited() {
        for (int opening : new int[] {0x81, 0x9f, 0xc1, 0xbf}) {
            byte[] bomb = new byte[1 << 20];
            Arrays.fill(bomb, (byte) opening);
            assertThatExceptionOfType(SerializationException.class)
                    .isThrownBy(() -> cbor.deserialize(bomb, Object.class))
                    .withMessageContaining("nesting depth exceeds the maximum allowed (500)");
        }
    }

    @Test
    void thereAreNoMoreValuesThanInJson() {
        byte[] many = new byte[5 << 20];
        many[0] = (byte) 0x9f;
        many[many.length - 1] = (byte) 0xff;
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> cbor.deserialize(many, Object.class))
                .withMessageContaining("values; safebunny.max-message-size sets it");
    }

    @Test
    void anIntegerHasAThousandDigitsAtMost() {
        ByteArrayOutputStream huge = new ByteArrayOutputStream();
        huge.writeBytes(bytes("a1 65 76616c7565 c2 5a 00100000"));
        huge.writeBytes(new byte[1 << 20]);
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> cbor.deserialize(huge.toByteArray(), Anything.class))
                .withMessageContaining("a number has more than 1000 digits");
    }

    @Test
    void whatIsAnnouncedIsNotAllocated() {
        byte[] body = bytes("a1 64 74657874 5a 7fffffff 61");
        for (int i = 0; i < 1_000; i++) {
            refused(body); // until all is loaded
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        refused(body);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }

    private void refused(byte[] body) {
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> cbor.deserialize(body, Text.class));
    }

    @Test
    void anyBytesAreReadOrRefused() {
        byte[] sound = cbor.serialize(new Anything(
                Map.of("a", List.of(1, new BigDecimal("1.25"), "ü"), "b", Map.of("c", 2.5, "d", "x".repeat(300)))));
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] body = sound.clone();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            readOrRefused(body);
        }
    }

    private void readOrRefused(byte[] body) {
        try {
            assertThat(cbor.deserialize(body, Anything.class)).isInstanceOf(Anything.class);
            assertThat(cbor.toJson(body)).isNotEmpty();
        } catch (SerializationException e) {
            assertThat(e.code()).isEqualTo("SB-3004");
        }
    }
}
