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
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Bodies that were encrypted by another implementation, in {@code docs/vectors}. */
class VectorsTest {

    private static final HexFormat HEX = HexFormat.of();

    private static List<JsonNode> vectors() throws Exception {
        Path classes = Path.of(URI.create(EncryptingCodec.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        Path file = classes.resolve("../../../docs/vectors/encryption.json");
        List<JsonNode> vectors =
                List.copyOf(new JsonMapper().readTree(Files.readString(file)).values());
        assertThat(vectors).hasSize(200);
        return vectors;
    }

    private static byte[] bytes(JsonNode vector, String field) {
        return HEX.parseHex(vector.path(field).asString());
    }

    private static @Nullable String text(JsonNode message, String field) {
        return message.path(field).isNull() ? null : message.path(field).asString();
    }

    private static byte[] identity(JsonNode message) {
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
        return Identity.of(EnvelopeReader.read(
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
                codec -> true));
    }

    @Test
    void areWrittenByteByByte() throws Exception {
        for (JsonNode vector : vectors()) {
            WrappedKey wrapped = new WrappedKey(vector.path("key_id").asString(), bytes(vector, "wrapped"));
            DataKey key = new DataKey(new SecretKeySpec(bytes(vector, "data_key"), "AES"), wrapped);

            SealedBody sealed = SealedBody.seal(
                    key, bytes(vector, "salt"), identity(vector.path("message")), bytes(vector, "body"));

            assertThat(sealed.toBytes()).as(vector.toString()).isEqualTo(bytes(vector, "encoded"));
        }
    }

    @Test
    void areReadWithTheWrappingKeyAlone() throws Exception {
        for (JsonNode vector : vectors()) {
            SealedBody sealed = Objects.requireNonNull(SealedBody.read(bytes(vector, "encoded")));

            assertThat(sealed.open(
                            sealed.wrapped().openedBy(new SecretKeySpec(bytes(vector, "wrapping_key"), "AES")),
                            identity(vector.path("message"))))
                    .isEqualTo(bytes(vector, "body"));
        }
    }

    /** Each field of the identity, each bit of a ciphertext, and each part of it. */
    @Test
    void areNotReadIfAnythingIsChanged() throws Exception {
        JsonNode vector = vectors().get(0);
        SecretKeySpec key = new SecretKeySpec(bytes(vector, "data_key"), "AES");
        SealedBody sealed = Objects.requireNonNull(SealedBody.read(bytes(vector, "encoded")));
        JsonNode message = vector.path("message");
        byte[] genuine = identity(message);

        for (String field : message.propertyNames()) {
            byte[] changed = identity(changed(message, field));

            assertThat(changed).as(field).isNotEqualTo(genuine);
            assertThatExceptionOfType(GeneralSecurityException.class)
                    .as(field)
                    .isThrownBy(() -> sealed.open(key, changed));
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

    /** As a receiver who has the wrapping key under the one key id, and opens what the message brings. */
    private static boolean isReadable(byte[] encoded, JsonNode vector, byte[] identity) {
        SealedBody sealed = SealedBody.read(encoded);
        if (sealed == null
                || !sealed.wrapped().keyId().equals(vector.path("key_id").asString())) {
            return false;
        }
        try {
            byte[] unused = sealed.open(
                    sealed.wrapped().openedBy(new SecretKeySpec(bytes(vector, "wrapping_key"), "AES")), identity);
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
