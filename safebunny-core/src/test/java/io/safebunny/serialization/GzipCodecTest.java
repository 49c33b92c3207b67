// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.fixture.Wires;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** What others compress, well and badly. */
class GzipCodecTest {

    private static final int PLENTY = 10 << 20;

    private final GzipCodec codec = new GzipCodec();

    private byte[] decoded(byte[] encoded) {
        return codec.decode(Wires.orderPlaced().withBytes(encoded).envelope(), PLENTY);
    }

    private void isDamaged(byte[] encoded) {
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> decoded(encoded))
                .withMessageContaining("it is not gzip, or it is damaged")
                .matches(e -> !e.isTooLarge());
    }

    private static byte[] gzip(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body);
        }
        return bytes.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    @Test
    void readsSeveralMembersOfAnySize() throws IOException {
        byte[] large = new byte[100_001];
        new Random(7).nextBytes(large);

        assertThat(decoded(joined(gzip("a".getBytes(UTF_8)), gzip(new byte[0]), gzip(large), gzip(new byte[0]))))
                .isEqualTo(joined("a".getBytes(UTF_8), large));
        for (int size : new int[] {8 * 1024 - 1, 8 * 1024, 8 * 1024 + 1, 16 * 1024}) {
            byte[] body = Arrays.copyOf(large, size);
            assertThat(decoded(gzip(body))).isEqualTo(body);
        }
    }

    /** Each takes 20 bytes, and would take a frame of the stack if they were read one within the other. */
    @Test
    void readsAsManyEmptyMembersAsFitIntoABody() throws IOException {
        byte[] empty = gzip(new byte[0]);
        byte[] many = new byte[empty.length * 500_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = empty[i % empty.length];
        }

        assertThat(decoded(many)).isEmpty();
    }

    @Test
    void readsAHeaderWithAllThatItMayHave() throws IOException {
        byte[] plain = gzip("body".getBytes(UTF_8));
        byte[] header = joined(
                new byte[] {0x1f, (byte) 0x8b, 8, 2 + 4 + 8 + 16, 1, 2, 3, 4, 0, 3},
                new byte[] {3, 0, 7, 7, 7},
                "name\0comment\0".getBytes(UTF_8));
        CRC32 checksum = new CRC32();
        checksum.update(header);
        byte[] checksumOfHeader = ByteBuffer.allocate(2)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) checksum.getValue())
                .array();
        byte[] rest = Arrays.copyOfRange(plain, 10, plain.length);

        assertThat(decoded(joined(header, checksumOfHeader, rest)))
                .asString(UTF_8)
                .isEqualTo("body");
        checksumOfHeader[0]++;
        isDamaged(joined(header, checksumOfHeader, rest));
    }

    @Test
    void refusesEachBeginningAndWhatIsBehindTheEnd() throws IOException {
        byte[] encoded = gzip("body, body, body".getBytes(UTF_8));
        for (int length = 0; length < encoded.length; length++) {
            isDamaged(Arrays.copyOf(encoded, length));
        }
        isDamaged(Arrays.copyOf(encoded, encoded.length + 1));
        isDamaged(joined(encoded, "garbage of some length".getBytes(UTF_8)));
    }

    @Test
    void refusesADamagedHeaderChecksumOrLength() throws IOException {
        byte[] encoded = gzip("body".getBytes(UTF_8));
        for (int at : new int[] {0, 1, 2, encoded.length - 8, encoded.length - 1}) {
            byte[] damaged = encoded.clone();
            damaged[at]++;
            isDamaged(damaged);
        }
        byte[] reserved = encoded.clone();
        reserved[3] = (byte) 0x80;
        isDamaged(reserved);
    }

    @Test
    void takesJustAsMuchAsItMay() throws IOException {
        byte[] encoded = gzip(new byte[20_000]);

        assertThat(codec.decode(Wires.orderPlaced().withBytes(encoded).envelope(), 20_000))
                .hasSize(20_000);
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() ->
                        codec.decode(Wires.orderPlaced().withBytes(encoded).envelope(), 19_999))
                .matches(CodecException::isTooLarge);
    }
}
