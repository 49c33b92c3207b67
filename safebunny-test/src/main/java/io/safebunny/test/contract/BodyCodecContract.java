// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of every {@link BodyCodec}. Extend it and create yours. */
public abstract class BodyCodecContract {

    private static final long PLENTY = 10L * 1024 * 1024;

    /** The codec under test, new or shared. */
    protected abstract BodyCodec codec();

    private static Envelope message(byte[] body) {
        return EnvelopeReader.read(new WireMessage(
                "4be0643f-1d98-573b-97cd-ca98a65347dd",
                "customer:42",
                "Ping",
                "orders",
                1_767_225_600L,
                "application/json",
                null,
                Map.of("tenant", "acme"),
                body));
    }

    private static byte[] decoded(BodyCodec codec, byte[] encoded, long maxSize) {
        return codec.decode(message(encoded), maxSize);
    }

    private static List<byte[]> bodies() {
        byte[] random = new byte[100_000];
        new Random(3).nextBytes(random);
        byte[] every = new byte[256];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) i;
        }
        return List.of(
                new byte[0], new byte[1], every, random, "ü🐇".repeat(50_000).getBytes(UTF_8));
    }

    @Test
    public void itsNameCanBeWrittenAndFound() {
        BodyCodec codec = codec();

        assertThat(new Codecs(List.of(codec), codec.encoding()).publishing().codecs())
                .containsExactly(codec);
        assertThat(codec.encoding()).isEqualTo(codec().encoding());
    }

    @Test
    public void decodesWhatItEncoded() {
        BodyCodec codec = codec();
        for (byte[] body : bodies()) {
            assertThat(decoded(codec, codec.encode(message(body)), body.length)).isEqualTo(body);
        }
    }

    @Test
    public void changesNoBytesOfItsInput() {
        BodyCodec codec = codec();
        for (byte[] body : bodies()) {
            byte[] before = body.clone();
            byte[] encoded = codec.encode(message(body));
            byte[] encodedBefore = encoded.clone();
            decoded(codec, encoded, PLENTY);

            assertThat(body).isEqualTo(before);
            assertThat(encoded).isEqualTo(encodedBefore);
        }
    }

    @Test
    public void decodesNoMoreThanItMay() {
        BodyCodec codec = codec();
        byte[] large = new byte[1_000_000];

        for (long maxSize : new long[] {0, 1, 999_999}) {
            assertThatExceptionOfType(CodecException.class)
                    .isThrownBy(() -> decoded(codec, codec.encode(message(large)), maxSize))
                    .matches(CodecException::isTooLarge, "says that it is too large");
        }
    }

    @Test
    public void refusesWhatItDidNotEncode() {
        BodyCodec codec = codec();
        byte[] encoded = codec.encode(message("s3cret-s3cret-s3cret".getBytes(UTF_8)));
        for (byte[] foreign : List.of(
                new byte[0],
                "s3cret".getBytes(UTF_8),
                "{\"token\":\"s3cret\"}".getBytes(UTF_8),
                Arrays.copyOf(encoded, encoded.length / 2),
                Arrays.copyOf(encoded, encoded.length - 1))) {
            assertThatExceptionOfType(CodecException.class)
                    .isThrownBy(() -> decoded(codec, foreign, PLENTY))
                    .matches(e -> !e.isTooLarge(), "is not for its size")
                    .withMessageNotContaining("s3cret");
        }
    }

    @Test
    public void isUsedByManyThreadsAtOnce() throws InterruptedException, ExecutionException {
        BodyCodec codec = codec();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                byte[] body = ("message " + i + ' ').repeat(500).getBytes(UTF_8);
                results.add(
                        threads.submit(() -> Arrays.equals(decoded(codec, codec.encode(message(body)), PLENTY), body)));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
