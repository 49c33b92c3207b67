// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.serialization.GzipCodec;
import io.safebunny.store.record.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bodies between serializer and wire. */
class EncodedBodiesTest {

    private static final String QUEUE = "billing-OrderPlaced";

    /** Encodes a message in another way each time: a counter in front, and the bytes turned by it. */
    private static final class Salted implements BodyCodec {
        private final AtomicInteger salts = new AtomicInteger();

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

    private final BodyCodec salted = new Salted();
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
        engine(reading(salted));
        WireMessage delivered = encoded(new GzipCodec(), Wires.orderPlaced());
        deliver(delivered);

        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("malformed-body");
        assertThat(transport.poisoned().get(0).message().body()).isSameAs(delivered.body());
        assertThat(transport.poisoned().get(0).message().headers())
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .contains("gzip"));
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

    /** 100 MB in 100 KB; ten are allowed. */
    @Test
    void aBombIsTooLarge() {
        engine(reading(new GzipCodec()));
        byte[] bomb = new GzipCodec()
                .encode(Wires.orderPlaced().withBytes(new byte[100_000_000]).envelope());
        assertThat(bomb).hasSizeLessThan(200_000);
        deliver(Wires.orderPlaced()
                .with("content_encoding", "gzip")
                .withBytes(bomb)
                .wire());

        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("too-large");
    }

    @Test
    void publishesNothingThatReceiversWouldFindTooLarge() {
        SafeBunnyEngine engine = engine(new Codecs(List.of(new GzipCodec()), "gzip"));

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> engine.bunny().publish(new OrderPlaced("o".repeat(11 * 1024 * 1024), 1)))
                .withMessageContaining("too large");
        assertThat(transport.attempted()).isEmpty();
    }
}
