// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.UnknownKeyException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes keys of persons, and encrypts them for the place where they are kept, each bound to its id and person. Thread-safe.
 */
final class SubjectSealing {

    /** Id and person of the key that names persons. */
    static final String SECRET = "secret";

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final HexFormat HEX = HexFormat.of();
    private static final String HASH = "HmacSHA256";
    private static final int KEY_LENGTH = 32;
    private static final int ID_LENGTH = 16;

    private final DataKeys keys;
    private final String keyName;

    /** @param keyName under which they are encrypted */
    SubjectSealing(DataKeys keys, String keyName) {
        this.keys = keys;
        this.keyName = keyName;
    }

    Set<String> encryptingWith() {
        return keys.encryptingWith();
    }

    /** The person as the place of keys knows them. */
    static String hash(SecretKey secret, String subject) {
        try {
            Mac mac = Mac.getInstance(HASH);
            mac.init(new SecretKeySpec(secret.getEncoded(), HASH));
            return HEX.formatHex(mac.doFinal(subject.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new KeysUnavailableException("A hash cannot be computed: " + e.getMessage(), e);
        }
    }

    /** A new key of a person. */
    SubjectKey fresh(String subject) {
        return sealed(HEX.formatHex(random(ID_LENGTH)), subject);
    }

    /** A new key that names persons. */
    SubjectKey freshSecret() {
        return sealed(SECRET, SECRET);
    }

    private SubjectKey sealed(String id, String subject) {
        DataKey key = keys.current(keyName);
        try {
            SealedBody sealed = SealedBody.seal(
                    key, null, random(SealedBody.SALT_LENGTH), identity(id, subject), random(KEY_LENGTH));
            return new SubjectKey(id, subject, key.wrapped().keyId(), sealed.toBytes(), null);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new KeysUnavailableException(
                    "A key of a person cannot be encrypted [key=%s]: %s".formatted(keyName, e.getMessage()), e);
        }
    }

    /**
     * @throws UnknownKeyException the key under which it is encrypted is unknown, or it was changed in its place
     * @throws KeysUnavailableException that key cannot be had at the moment
     */
    SecretKey open(SubjectKey stored) {
        byte[] bytes = stored.sealed();
        SealedBody body = bytes == null ? null : SealedBody.read(bytes);
        if (body == null) {
            throw changed(stored, null);
        }
        try {
            byte[] key = body.open(keys.open(body.wrapped()), null, identity(stored.id(), stored.subject()));
            return new SecretKeySpec(key, "AES");
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw changed(stored, e);
        }
    }

    private static UnknownKeyException changed(SubjectKey stored, @Nullable Exception cause) {
        return new UnknownKeyException(
                "The key of a person cannot be decrypted [key=%s]: it was changed where it is kept, or encrypted under another key of the same id."
                        .formatted(stored.id()),
                cause);
    }

    private static byte[] identity(String id, String subject) {
        return "safebunny subject key %s %s".formatted(id, subject).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
