// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.crypto.Renewed.Held;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.message.Envelope;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.time.Timeline;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Hashes of bodies under a secret of their key: four bytes that name the secret, and twelve of an HMAC of the message's id, its type and its
 * body. All zeros where there is no secret: then bodies are not told apart. Thread-safe.
 */
final class SecretHashes {

    private static final Duration REMEMBERED = Duration.ofHours(1);
    private static final int LENGTH = 16;
    private static final int NAME_LENGTH = 4;
    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] SALT = ascii("safebunny secret hash");

    private final KeyProvider provider;
    private final Timeline timeline;
    private final Map<String, Renewed<Optional<Secret>>> known = new ConcurrentHashMap<>();

    SecretHashes(KeyProvider provider, Timeline timeline) {
        this.provider = provider;
        this.timeline = timeline;
    }

    /** What is the same for all messages that need no secret, so that it tells nothing. */
    static byte[] none() {
        return new byte[LENGTH];
    }

    /** @throws KeysUnavailableException the key service does not answer, and has not done so before */
    byte[] of(String keyName, Envelope decoded) {
        return secret(keyName).map(secret -> secret.hash(decoded)).orElseGet(SecretHashes::none);
    }

    private Optional<Secret> secret(String keyName) {
        return known.computeIfAbsent(keyName, name -> new Renewed<>(before -> renewed(name, before), timeline))
                .get();
    }

    private Held<Optional<Secret>> renewed(String keyName, @Nullable Held<Optional<Secret>> before) {
        Optional<Secret> secret;
        try {
            secret = asked(keyName);
        } catch (KeysUnavailableException e) {
            if (before == null) {
                throw e;
            }
            secret = before.value(); // for another hour
        }
        long now = timeline.nanoTime();
        return new Held<>(secret, now, now + REMEMBERED.toNanos(), now + Long.MAX_VALUE / 2);
    }

    private Optional<Secret> asked(String keyName) {
        try {
            SecretKey key = provider.hashKey(keyName);
            return key == null ? Optional.empty() : Optional.of(Secret.of(key));
        } catch (UnknownKeyException e) {
            return Optional.empty();
        } catch (KeysUnavailableException e) {
            throw e;
        } catch (RuntimeException | GeneralSecurityException e) {
            throw new KeysUnavailableException(
                    "The KeyProvider has no usable key for hashes [key=%s, failure=%s]"
                            .formatted(keyName, e.getClass().getName()),
                    e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * @param name tells it from others, and tells nothing of it
     * @param key of the HMAC
     */
    private record Secret(byte[] name, SecretKeySpec key) {

        static Secret of(SecretKey given) throws GeneralSecurityException {
            Hkdf derived = new Hkdf(SALT, given);
            return new Secret(
                    derived.expand(ascii("name")), new SecretKeySpec(derived.expand(ascii("key")), ALGORITHM));
        }

        byte[] hash(Envelope decoded) {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(key);
                update(mac, decoded.id());
                update(mac, decoded.type());
                byte[] hash = mac.doFinal(Fingerprint.compared(decoded));
                return ByteBuffer.allocate(LENGTH)
                        .put(name, 0, NAME_LENGTH)
                        .put(hash, 0, LENGTH - NAME_LENGTH)
                        .array();
            } catch (GeneralSecurityException e) {
                throw new KeysUnavailableException("A hash cannot be computed: " + e.getMessage(), e);
            }
        }

        private static void update(Mac mac, String field) {
            byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            mac.update(bytes);
        }
    }
}
