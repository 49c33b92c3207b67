// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Bodies that were encrypted by another implementation, in {@code docs/vectors}. */
class VectorsTest {

    private static final HexFormat HEX = HexFormat.of();

    /** Those without a subject, then those with one. */
    private static List<JsonNode> vectors() throws Exception {
        return Stream.concat(vectors("encryption.json").stream(), vectors("erasure.json").stream())
                .toList();
    }

    private static List<JsonNode> vectors(String name) throws Exception {
        Path classes = Path.of(URI.create(EncryptingCodec.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        Path file = classes.resolve("../../../docs/vectors").resolve(name);
        List<JsonNode> vectors =
                List.copyOf(new JsonMapper().readTree(Files.readString(file)).values());
        assertThat(vectors).hasSize(200);
        return vectors;
    }

    private static byte[] bytes(JsonNode vector, String field) {
        return HEX.parseHex(vector.path(field).asString());
    }

    private static @Nullable String text(JsonNode message, String field) {
        JsonNode value = message.path(field);
        return value.isNull() || value.isMissingNode() ? null : value.asString();
    }

    private static SealedBody.@Nullable Subject subject(JsonNode vector) {
        return vector.has("subject_key")
                ? new SealedBody.Subject(
                        vector.path("subject_key_id").asString(),
                        new SecretKeySpec(bytes(vector, "subject_key"), "AES"))
                : null;
    }

    private static @Nullable SecretKey subjectKey(JsonNode vector) {
        SealedBody.Subject subject = subject(vector);
        return subject == null ? null : subject.key();
    }

    private static byte[] identity(JsonNode vector) {
        return identity(vector.path("message"), text(vector, "subject_key_id"));
    }

    private static byte[] identity(JsonNode message, @Nullable String subjectKeyId) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("sb-marker", message.path("sb-marker").asLong());
        headers.put("sb-made-at", message.path("made_at").asLong());
        headers.put("sb-version", message.path("sb-version").asLong());
        for (String name : List.of("sb-causation-id", "sb-undoes", "sb-order-key")) {
            String value = text(message, name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        return Identity.of(
                EnvelopeReader.read(
                        new WireMessage(
                                text(message, "message_id"),
                                text(message, "correlation_id"),
                                text(message, "type"),
                                text(message, "app_id"),
                                null,
                                text(message, "content_type"),
                                text(message, "content_encoding"),
                                headers,
                                new byte[0]),
                        codec -> true),
                subjectKeyId);
    }

    @Test
    void areWrittenByteByByte() throws Exception {
        for (JsonNode vector : vectors()) {
            WrappedKey wrapped = new WrappedKey(vector.path("key_id").asString(), bytes(vector, "wrapped"));
            DataKey key = new DataKey(new SecretKeySpec(bytes(vector, "data_key"), "AES"), wrapped);

            SealedBody sealed = SealedBody.seal(
                    key, subject(vector), bytes(vector, "salt"), identity(vector), bytes(vector, "body"));

            assertThat(sealed.toBytes()).as(vector.toString()).isEqualTo(bytes(vector, "encoded"));
        }
    }

    @Test
    void areReadWithTheWrappingKeyAndThatOfTheSubject() throws Exception {
        for (JsonNode vector : vectors()) {
            SealedBody sealed = Objects.requireNonNull(SealedBody.read(bytes(vector, "encoded")));

            assertThat(sealed.open(
                            sealed.wrapped().openedBy(new SecretKeySpec(bytes(vector, "wrapping_key"), "AES")),
                            subjectKey(vector),
                            identity(vector)))
                    .isEqualTo(bytes(vector, "body"));
        }
    }

    /** Each field of the identity, each bit of a ciphertext, and each part of it. */
    @Test
    void areNotReadIfAnythingIsChanged() throws Exception {
        requireNothingCanBeChanged(vectors("encryption.json").get(0));
        requireNothingCanBeChanged(vectors("erasure.json").get(0));
    }

    private static void requireNothingCanBeChanged(JsonNode vector) throws Exception {
        SecretKeySpec key = new SecretKeySpec(bytes(vector, "data_key"), "AES");
        SealedBody sealed = Objects.requireNonNull(SealedBody.read(bytes(vector, "encoded")));
        JsonNode message = vector.path("message");
        byte[] genuine = identity(vector);

        for (String field : message.propertyNames()) {
            byte[] changed = identity(changed(message, field), text(vector, "subject_key_id"));

            assertThat(changed).as(field).isNotEqualTo(genuine);
            assertThatExceptionOfType(GeneralSecurityException.class)
                    .as(field)
                    .isThrownBy(() -> sealed.open(key, subjectKey(vector), changed));
        }
        byte[] encoded = bytes(vector, "encoded");
        int readable = 0;
        for (int bit = 0; bit < encoded.length * 8; bit++) {
            byte[] forged = encoded.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            readable += isReadable(forged, vector, genuine) ? 1 : 0;
        }
        assertThat(readable).isZero();
        for (int length = 0; length < encoded.length; length++) {
            assertThat(isReadable(Arrays.copyOf(encoded, length), vector, genuine))
                    .as("%s bytes", length)
                    .isFalse();
        }
    }

    /** With one of the two keys, with another person's, or as a body of the other format. */
    @Test
    void needBothKeys() throws Exception {
        JsonNode vector = vectors("erasure.json").get(0);
        SecretKeySpec key = new SecretKeySpec(bytes(vector, "data_key"), "AES");
        SecretKeySpec subject = new SecretKeySpec(bytes(vector, "subject_key"), "AES");
        SecretKeySpec another = new SecretKeySpec(new byte[32], "AES");
        SealedBody sealed = Objects.requireNonNull(SealedBody.read(bytes(vector, "encoded")));
        byte[] identity = identity(vector);

        assertThat(sealed.open(key, subject, identity)).isEqualTo(bytes(vector, "body"));
        for (SecretKeySpec[] keys :
                new SecretKeySpec[][] {{key, null}, {key, another}, {another, subject}, {subject, key}}) {
            assertThatExceptionOfType(GeneralSecurityException.class)
                    .isThrownBy(() -> sealed.open(keys[0], keys[1], identity));
        }
        String another32 = "0".repeat(32);
        assertThatExceptionOfType(GeneralSecurityException.class)
                .isThrownBy(() -> sealed.open(key, subject, identity(vector.path("message"), another32)));
    }

    /** As a receiver who has the wrapping key under the one key id, and opens what the message brings. */
    private static boolean isReadable(byte[] encoded, JsonNode vector, byte[] identity) {
        SealedBody sealed = SealedBody.read(encoded);
        if (sealed == null
                || !sealed.wrapped().keyId().equals(vector.path("key_id").asString())
                || !Objects.equals(sealed.subjectKey(), text(vector, "subject_key_id"))) {
            return false;
        }
        try {
            byte[] unused = sealed.open(
                    sealed.wrapped().openedBy(new SecretKeySpec(bytes(vector, "wrapping_key"), "AES")),
                    subjectKey(vector),
                    identity);
            return true;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    private static JsonNode changed(JsonNode message, String field) {
        ObjectNode copy = ((ObjectNode) message).deepCopy();
        if (copy.path(field).isNumber()) {
            copy.put(field, copy.path(field).asLong() + 1);
        } else if (field.equals("content_encoding")) {
            copy.put(field, copy.path(field).asString().equals("sb-aes") ? "gzip, sb-aes" : "sb-aes");
        } else if (copy.path(field).isNull()) {
            copy.put(field, "283fefc6-3f0c-50e8-83a0-000c6d07ef7c");
        } else if (Stream.of("message_id", "sb-causation-id", "sb-undoes").anyMatch(field::equals)) {
            copy.put(field, "283fefc6-3f0c-50e8-83a0-000c6d07ef7c");
        } else {
            copy.put(field, copy.path(field).asString() + "x");
        }
        return copy;
    }
}
