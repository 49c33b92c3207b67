// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Envelope;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.Compression;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.serialization.GzipCodec;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.transport.OutboundMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies between serializer and wire. */
class EncodedBodiesTest {

    private static final String QUEUE = "billing-OrderPlaced";

    /** Encodes a message in another way each time: a counter in front, and the bytes turned by it. */
    private static final class Salted implements BodyCodec {
        private final AtomicInteger salts = new AtomicInteger();
        private final AtomicInteger decoded = new AtomicInteger();

        @Override
        public String encoding() {
            return "x-salted";
        }

        @Override
        public byte[] encode(Envelope message) {
            byte salt = (byte) salts.incrementAndGet();
            byte[] encoded = new byte[message.body().length + 1];
            encoded[0] = salt;
            for (int i = 0; i < message.body().length; i++) {
                encoded[i + 1] = (byte) (message.body()[i] ^ salt);
            }
            return encoded;
        }

        @Override
        public byte[] decode(Envelope message, long maxSize) {
            decoded.incrementAndGet();
            byte[] encoded = message.body();
            if (encoded.length == 0) {
                throw new CodecException("Cannot decode the body [content_encoding=x-salted]: it is empty", null);
            }
            byte[] body = Arrays.copyOfRange(encoded, 1, encoded.length);
            for (int i = 0; i < body.length; i++) {
                body[i] ^= encoded[0];
            }
            return body;
        }
    }

    private final Salted salted = new Salted();
    private final RecordingTransport transport = new RecordingTransport();
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final List<Object> handled = new ArrayList<>();
    private Consumer<Object> handler = handled::add;

    private SafeBunnyEngine engine(Codecs codecs) {
        SafeBunnyEngine engine =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, timeline)
                        .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                        .codecs(codecs)
                        .build());
        engine.start(List.of(new HandlerDefinition(
                "orders",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, Duration.ofSeconds(1))),
                (payload, context) -> handler.accept(payload))));
        return engine;
    }

    private static Codecs reading(BodyCodec codec) {
        return new Codecs(List.of(codec), null);
    }

    private void deliver(WireMessage message) {
        transport.deliver(new RecordedDelivery(QUEUE, message));
    }

    private static WireMessage encoded(BodyCodec codec, Wires message) {
        return new Wires(message.properties(), message.headers(), codec.encode(message.envelope()))
                .with("content_encoding", codec.encoding())
                .wire();
    }

    private String poisonReason() {
        return String.valueOf(transport.poisoned().get(0).message().headers().get("sb-poison-reason"));
    }

    @Test
    void publishesEncodedAndReadsItBack() {
        SafeBunnyEngine engine = engine(new Codecs(List.of(salted, new GzipCodec()), "gzip"));
        engine.bunny().publish(new OrderPlaced("o-1", 42));
        WireMessage published = transport.published().get(0).message();

        assertThat(published.contentEncoding()).isEqualTo("gzip");
        assertThat(new String(published.body(), StandardCharsets.ISO_8859_1)).doesNotContain("orderId");
        deliver(published);
        assertThat(handled).containsExactly(new OrderPlaced("o-1", 42));
    }

    @Test
    void aRepeatThatIsEncodedOtherwiseIsARepeat() {
        engine(reading(salted));
        WireMessage first = encoded(salted, Wires.orderPlaced());
        WireMessage second = encoded(salted, Wires.orderPlaced());
        assertThat(first.body()).isNotEqualTo(second.body());

        deliver(first);
        deliver(second);
        deliver(Wires.orderPlaced().wire());

        assertThat(handled).hasSize(1);
        assertThat(transport.poisoned()).isEmpty();
    }

    @Test
    void anotherMessageUnderTheSameIdIsStillTold() {
        engine(reading(salted));
        deliver(encoded(salted, Wires.orderPlaced()));
        deliver(encoded(salted, Wires.orderPlaced().withBody("{\"orderId\":\"o-2\",\"total\":1}")));

        assertThat(handled).hasSize(1);
        assertThat(poisonReason()).isEqualTo("handler-failed");
    }

    /** What instances without codecs have stored, and go on to compare. */
    @Test
    void theFingerprintOfAPlainBodyIsWhatItWas() {
        assertThat(Fingerprint.of(Wires.orderPlaced().envelope()))
                .isEqualTo(new Fingerprint(Fingerprint.SHA256, HIGH, LOW));
    }

    private static final long HIGH = -900_751_407_512_350_574L;
    private static final long LOW = -7_847_777_681_637_366_360L;

    @Test
    void copiesHaveTheBytesAsDelivered() {
        engine(reading(salted));
        handler = payload -> {
            throw new IllegalStateException("failed");
        };
        WireMessage delivered = encoded(salted, Wires.orderPlaced());
        deliver(delivered);
        WireMessage retry = transport.returned().get(0).message();
        assertThat(retry.body()).isSameAs(delivered.body());
        assertThat(retry.contentEncoding()).isEqualTo("x-salted");

        deliver(retry);
        WireMessage poison = transport.poisoned().get(0).message();
        assertThat(poison.body()).isSameAs(delivered.body());
        assertThat(poison.contentEncoding()).isEqualTo("x-salted");
    }

    @Test
    void anUnknownEncodingIsSetAsideAsItIs() {
        engine(Codecs.none());
        WireMessage delivered = encoded(salted, Wires.orderPlaced());
        deliver(delivered);

        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("malformed-body");
        assertThat(transport.poisoned().get(0).message().body()).isSameAs(delivered.body());
        assertThat(transport.poisoned().get(0).message().headers())
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .contains("x-salted"));
    }

    @Test
    void severalCodecsAreAppliedInTheirOrderAndUndoneInReverse() {
        SafeBunnyEngine engine = engine(new Codecs(List.of(salted, new GzipCodec()), "gzip, x-salted"));
        engine.bunny().publish(new OrderPlaced("o-1", 42));
        WireMessage published = transport.published().get(0).message();

        assertThat(published.contentEncoding()).isEqualTo("gzip, x-salted");
        assertThat(published.body()[0]).as("the last salt, in front").isEqualTo((byte) 1);
        assertThat(published.body()[1] ^ 1).as("the first byte of gzip").isEqualTo(0x1f);
        deliver(published);
        assertThat(handled).containsExactly(new OrderPlaced("o-1", 42));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip, gzip | it names gzip more than once",
                "x-salted, GZIP,gzip | it names gzip more than once",
                "x-none, x-salted | this node has no BodyCodec for x-none",
                "x-salted, x-none | this node has no BodyCodec for x-none",
                "x-salted, | this node has no BodyCodec for an empty name",
                "x-salted, identity | this node has no BodyCodec for identity",
                "gzip, x-salted, x-a, x-b | it names 4 codecs, and a body has at most 3"
            })
    void whatCannotBeUndoneInFullIsNotDecodedAtAll(String contentEncoding, String told) {
        engine(new Codecs(List.of(salted, new GzipCodec()), null));
        WireMessage delivered = encoded(salted, Wires.orderPlaced());
        deliver(Wires.orderPlaced()
                .withBytes(delivered.body())
                .with("content_encoding", contentEncoding)
                .wire());

        assertThat(salted.decoded).hasValue(0);
        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("malformed-body");
        assertThat(String.valueOf(
                        transport.poisoned().get(0).message().headers().get("x-exception-message")))
                .contains("[" + contentEncoding + "]", told);
    }

    /** What gzip decodes to is limited, though salted would not decode to more than it is given. */
    @Test
    void eachOfSeveralCodecsIsLimited() {
        engine(new Codecs(List.of(salted, new GzipCodec()), null));
        byte[] bomb = new GzipCodec()
                .encode(Wires.orderPlaced().withBytes(new byte[11_000_000]).envelope());
        deliver(Wires.orderPlaced()
                .with("content_encoding", "x-salted, gzip")
                .withBytes(bomb)
                .wire());

        assertThat(salted.decoded).hasValue(0);
        assertThat(poisonReason()).isEqualTo("too-large");
    }

    @Test
    void aCodecThatIgnoresTheLimitIsFound() {
        engine(reading(new BodyCodec() {
            @Override
            public String encoding() {
                return "x-boundless";
            }

            @Override
            public byte[] encode(Envelope message) {
                return message.body();
            }

            @Override
            public byte[] decode(Envelope message, long maxSize) {
                return new byte[(int) maxSize + 1];
            }
        }));
        deliver(Wires.orderPlaced().with("content_encoding", "x-boundless").wire());

        assertThat(poisonReason()).isEqualTo("too-large");
    }

    @Test
    void encodingsAreComparedWithoutRegardToCase() {
        engine(reading(new GzipCodec()));
        deliver(Wires.orderPlaced()
                .with("content_encoding", "GZIP")
                .withBytes(new GzipCodec().encode(Wires.orderPlaced().envelope()))
                .wire());

        assertThat(handled).hasSize(1);
    }

    @Test
    void whatIsNotGzipIsMalformed() {
        engine(reading(new GzipCodec()));
        deliver(Wires.orderPlaced().with("content_encoding", "gzip").wire());

        assertThat(poisonReason()).isEqualTo("malformed-body");
    }

    /** 10 GB in 10 MB; that many are allowed. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void aBombIsTooLarge(int members) throws IOException {
        engine(Codecs.none());
        byte[] bomb = Bomb.ofGzip(members);
        assertThat(bomb).hasSizeBetween(9_000_000, 10 << 20);
        WireMessage message = Wires.orderPlaced()
                .with("content_encoding", "gzip")
                .withBytes(bomb)
                .wire();

        assertThat(allocatedWhileDelivered(message)).isLessThan(20_000_000);

        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("too-large");
    }

    private long allocatedWhileDelivered(WireMessage message) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        deliver(message);
        return threads.getThreadAllocatedBytes(thread) - before;
    }

    @Test
    void publishesNothingThatReceiversWouldFindTooLarge() {
        SafeBunnyEngine engine = engine(new Codecs(List.of(new GzipCodec()), "gzip"));

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> engine.bunny().publish(new OrderPlaced("o".repeat(11 * 1024 * 1024), 1)))
                .withMessageContaining("too large");
        assertThat(transport.attempted()).isEmpty();
    }

    @Test
    void gzipIsReadWithoutABean() {
        engine(Codecs.none());
        deliver(encoded(new GzipCodec(), Wires.orderPlaced()));

        assertThat(handled).hasSize(1);
    }

    /** One body as it is, with another salt each time, and compressed at each level: all that is one message. */
    @Test
    void aThousandEncodingsOfOneMessageHaveOneEffect() throws IOException {
        engine(new Codecs(List.of(salted), null));
        for (WireMessage encoding : encodings()) {
            deliver(encoding);
        }

        assertThat(handled).hasSize(1);
        assertThat(transport.poisoned()).isEmpty();
        assertThat(transport.returned()).isEmpty();
    }

    private List<WireMessage> encodings() throws IOException {
        Wires message = Wires.orderPlaced();
        List<WireMessage> encodings = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            byte[] compressed = deflated(message.body(), i % 10);
            encodings.add(
                    switch (i % 3) {
                        case 0 -> encoded(salted, message);
                        case 1 ->
                            message.with("content_encoding", "gzip")
                                    .withBytes(compressed)
                                    .wire();
                        default ->
                            message.with("content_encoding", "gzip, x-salted")
                                    .withBytes(salted.encode(
                                            message.withBytes(compressed).envelope()))
                                    .wire();
                    });
        }
        assertThat(encodings.stream()
                        .map(encoding -> HexFormat.of().formatHex(encoding.body()))
                        .distinct())
                .hasSizeGreaterThan(250);
        return encodings;
    }

    private static byte[] deflated(byte[] body, int level) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes) {
            {
                def.setLevel(level);
            }
        }) {
            gzip.write(body);
        }
        return bytes.toByteArray();
    }

    @Test
    void largeBodiesAreCompressedBeforeTheyAreEncoded() {
        SafeBunnyEngine engine = engine(new Codecs(List.of(salted), "x-salted", new Compression(100, false)));
        OrderPlaced large = new OrderPlaced("o".repeat(200), 42);
        OrderPlaced small = new OrderPlaced("o-1", 42);
        engine.bunny().publish(large);
        engine.bunny().publish(small);

        List<WireMessage> published =
                transport.published().stream().map(OutboundMessage::message).toList();
        assertThat(published).extracting(WireMessage::contentEncoding).containsExactly("gzip, x-salted", "x-salted");
        assertThat(published.get(0).body()).hasSizeLessThan(100);
        published.forEach(this::deliver);
        assertThat(handled).containsExactly(large, small);
    }

    @Test
    void aBodyThatGzipDoesNotMakeSmallerIsSentAsItIs() {
        SafeBunnyEngine engine = engine(new Codecs(List.of(), null, new Compression(1, false)));
        engine.bunny().publish(new OrderPlaced("o-1", 42));
        engine.bunny().publish(new OrderPlaced("o".repeat(200), 42));

        assertThat(transport.published())
                .extracting(published -> published.message().contentEncoding())
                .containsExactly(null, "gzip");
        assertThat(transport.published().get(0).message().body())
                .asString(StandardCharsets.UTF_8)
                .contains("o-1");
    }

    @Test
    void theSizeAboveWhichBodiesAreCompressedIsExact() {
        OrderPlaced order = new OrderPlaced("o".repeat(200), 42);
        long size = new JsonMessageSerializer().serialize(order).length;
        for (long above : new long[] {size - 1, size}) {
            engine(new Codecs(List.of(), null, new Compression(above, false)))
                    .bunny()
                    .publish(order);
        }

        assertThat(transport.published())
                .extracting(published -> published.message().contentEncoding())
                .containsExactly("gzip", null);
    }
}
