// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.identity.FieldHash;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.Envelope;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.topology.TopologyOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;

/** By what the store recognises bodies that are encrypted. */
class SecretHashesTest {

    private static final String POISON = "clinic-poison";

    /** A body that is easy to guess. */
    @Encrypted(key = "results")
    record Result(boolean positive) {}

    record Plain(boolean positive) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final MemoryKeys keys = MemoryKeys.of("results");
    private final List<Object> handled = new ArrayList<>();
    private final List<RecordKey> records = new ArrayList<>();

    /** Without a secret for hashes. */
    private record WithoutHashKey(MemoryKeys keys) implements KeyProvider {
        @Override
        public DataKey current(String key) {
            return keys.current(key);
        }

        @Override
        public SecretKey open(WrappedKey wrapped) {
            return keys.open(wrapped);
        }
    }

    private SafeBunnyEngine node(String name, KeyProvider own, HandlerDefinition... handlers) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name),
                        new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run),
                        timeline)
                .store(store)
                .codecs(new Codecs(List.of(new EncryptingCodec(own, timeline, Set.of())), null))
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private SafeBunnyEngine clinic(KeyProvider own, Class<?> type) {
        return node(
                "clinic",
                own,
                new HandlerDefinition(
                        "clinic",
                        type.getSimpleName(),
                        type,
                        List.of("lab"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> {
                            handled.add(payload);
                            records.add(new RecordKey(context.correlationId(), context.messageId()));
                        }));
    }

    private void publish(Object payload, String key) {
        SafeBunnyEngine lab = node("lab", keys);
        lab.bunny()
                .publish(payload, PublishOptions.none().withIdempotencyKey(key).withCorrelationId("c-" + key));
        lab.stop(Duration.ofSeconds(1));
    }

    private Fingerprint fingerprint(int which) {
        return Objects.requireNonNull(store.find(records.get(which))).fingerprint();
    }

    private static Fingerprint guess(String type, String body) {
        ByteBuffer hash = ByteBuffer.wrap(FieldHash.sha256().add(type).finish(body.getBytes(StandardCharsets.UTF_8)));
        return new Fingerprint(Fingerprint.SHA256, hash.getLong(), hash.getLong());
    }

    @Test
    void whoReadsTheStoreCannotTryOutWhatABodySays() {
        clinic(keys, Result.class);
        publish(new Result(true), "1");

        Fingerprint guessed = guess("Result", "{\"positive\":true}");
        assertThat(fingerprint(0).version()).isEqualTo(Fingerprint.SECRET);
        assertThat(fingerprint(0).high()).isNotEqualTo(guessed.high());
        assertThat(fingerprint(0).low()).isNotEqualTo(guessed.low());
    }

    @Test
    void whatIsNotEncryptedCanBeGuessed() {
        clinic(keys, Plain.class);
        publish(new Plain(true), "1");

        assertThat(fingerprint(0)).isEqualTo(guess("Plain", "{\"positive\":true}"));
    }

    @Test
    void nobodyLearnsWhichMessagesSayTheSame() {
        clinic(keys, Result.class);
        publish(new Result(true), "1");
        publish(new Result(true), "2");

        assertThat(fingerprint(0).low()).isNotEqualTo(fingerprint(1).low());
    }

    @Test
    void anotherBodyUnderTheSameIdIsRecognisedThroughRotationsAndRestarts() {
        SafeBunnyEngine clinic = clinic(keys, Result.class);
        publish(new Result(true), "1");
        keys.rotate("results");
        clinic.stop(Duration.ofSeconds(1));
        clinic(keys, Result.class);
        publish(new Result(true), "1");
        assertThat(broker.depth(POISON)).isZero();

        publish(new Result(false), "1");
        assertThat(handled).containsExactly(new Result(true));
        assertThat(broker.messages(POISON)).hasSize(1);
    }

    @Test
    void withAnotherSecretOrNoneARepeatIsARepeat() {
        clinic(keys, Result.class).stop(Duration.ofSeconds(1));
        SafeBunnyEngine first = clinic(keys, Result.class);
        publish(new Result(true), "1");
        first.stop(Duration.ofSeconds(1));

        SafeBunnyEngine second = clinic(new WithoutHashKey(keys), Result.class);
        publish(new Result(true), "1");
        publish(new Result(true), "2");
        publish(new Result(false), "2"); // cannot be told apart, as the documentation says
        second.stop(Duration.ofSeconds(1));

        clinic(keys, Result.class);
        publish(new Result(true), "1");
        publish(new Result(true), "2");
        assertThat(handled).containsExactly(new Result(true), new Result(true));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void aProtobufWhoseFieldsComeInAnotherOrderIsTheSame() {
        BodyCodec codec = Objects.requireNonNull(new EncryptingCodec(keys, timeline, Set.of()).of(Result.class));

        assertThat(codec.secretHash(protobuf(8, 1, 16, 2)))
                .isEqualTo(codec.secretHash(protobuf(16, 2, 8, 1)))
                .isNotEqualTo(codec.secretHash(protobuf(8, 1, 16, 3)));
    }

    private static Envelope protobuf(int... bytes) {
        byte[] body = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            body[i] = (byte) bytes[i];
        }
        return new Envelope(
                "m-1",
                "c-1",
                "Result",
                "lab",
                1,
                null,
                0,
                0,
                0,
                null,
                Map.of(),
                Map.of(),
                "application/x-protobuf",
                body);
    }

    /** Its records are of a time when its type was not encrypted. */
    @Test
    void aRepeatOfWhatWasInClearIsARepeat() {
        Fingerprint before = guess("Result", "{\"positive\":true}");
        clinic(keys, Result.class);
        publish(new Result(true), "1");
        MessageRecord stored = Objects.requireNonNull(store.find(records.get(0)));
        assertThat(store.replace(new MessageRecord(
                        stored.key(),
                        stored.state(),
                        stored.owner(),
                        stored.version() + 1,
                        stored.attempt(),
                        stored.takeovers(),
                        stored.lease(),
                        before,
                        stored.steps(),
                        stored.outgoing(),
                        null,
                        null)))
                .isNotNull();
        publish(new Result(true), "1");
        assertThat(broker.depth(POISON)).isZero();
        publish(new Result(false), "1");
        assertThat(broker.depth(POISON)).isEqualTo(1);
    }
}
