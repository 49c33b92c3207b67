// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.WrappedKey;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an encrypted body: {@code "SB1"}, the key id (length in one byte, then text), the wrapped data key (length in two bytes, then
 * bytes), salt (32), commitment (32), ciphertext with its tag (16). Each body has a key of its own, derived from data key and salt, so the nonce
 * is constant; the commitment makes a ciphertext readable with one key only. Immutable.
 *
 * @param sealed the ciphertext with its tag
 */
record SealedBody(WrappedKey wrapped, byte[] salt, byte[] commitment, byte[] sealed) {

    static final int SALT_LENGTH = 32;
    private static final int KEY_LENGTH = 32;

    private static final byte[] MAGIC = ascii("SB1");
    private static final int LONGEST_WRAPPED = 1024;
    private static final Pattern KEY_ID = Pattern.compile("[A-Za-z0-9._:/-]{1,128}");
    private static final int TAG_BITS = 128;
    private static final byte[] NONCE = new byte[12];
    private static final byte[] KEY_INFO = ascii("safebunny SB1 key");
    private static final byte[] COMMITMENT_INFO = ascii("safebunny SB1 commitment");

    /**
     * @param salt 32 random bytes, never used before
     * @param identity what the body is bound to
     */
    static SealedBody seal(DataKey key, byte[] salt, byte[] identity, byte[] body) throws GeneralSecurityException {
        Hkdf derived = derive(salt, key.key());
        return new SealedBody(
                key.wrapped(),
                salt,
                derived.expand(COMMITMENT_INFO),
                crypt(Cipher.ENCRYPT_MODE, derived, identity, body));
    }

    /** @throws GeneralSecurityException it was sealed with another key or for another identity, or has been changed */
    byte[] open(Key key, byte[] identity) throws GeneralSecurityException {
        Hkdf derived = derive(salt, key);
        if (!MessageDigest.isEqual(commitment, derived.expand(COMMITMENT_INFO))) {
            throw new GeneralSecurityException("sealed with another key");
        }
        return crypt(Cipher.DECRYPT_MODE, derived, identity, sealed);
    }

    /** A key that does not tell its bytes would be as good as none: derivation would go by the salt alone. */
    private static Hkdf derive(byte[] salt, Key key) throws GeneralSecurityException {
        byte[] bytes = key.getEncoded();
        if (bytes == null || bytes.length != KEY_LENGTH) {
            throw new InvalidKeyException("a data key must tell its 32 bytes");
        }
        return new Hkdf(salt, key);
    }

    private static byte[] crypt(int mode, Hkdf derived, byte[] identity, byte[] text) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(derived.expand(KEY_INFO), "AES"), new GCMParameterSpec(TAG_BITS, NONCE));
        cipher.updateAAD(identity);
        return cipher.doFinal(text);
    }

    /** Whether a key id can be sent. */
    static boolean isKeyId(String keyId) {
        return KEY_ID.matcher(keyId).matches();
    }

    byte[] toBytes() {
        byte[] id = ascii(wrapped.keyId());
        byte[] key = wrapped.bytes();
        if (!isKeyId(wrapped.keyId()) || key.length > LONGEST_WRAPPED) {
            throw new IllegalArgumentException(
                    "Invalid wrapped key of the KeyProvider [key id length=%s, bytes=%s]: the id must match %s, and it can have at most %s bytes."
                            .formatted(wrapped.keyId().length(), key.length, KEY_ID, LONGEST_WRAPPED));
        }
        return ByteBuffer.allocate(
                        MAGIC.length + 1 + id.length + 2 + key.length + salt.length + commitment.length + sealed.length)
                .put(MAGIC)
                .put((byte) id.length)
                .put(id)
                .putShort((short) key.length)
                .put(key)
                .put(salt)
                .put(commitment)
                .put(sealed)
                .array();
    }

    /** {@code null} if these bytes are no encrypted body. */
    static @Nullable SealedBody read(byte[] bytes) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            if (!Arrays.equals(take(buffer, MAGIC.length), MAGIC)) {
                return null;
            }
            String keyId = new String(take(buffer, Byte.toUnsignedInt(buffer.get())), StandardCharsets.US_ASCII);
            int wrapped = Short.toUnsignedInt(buffer.getShort());
            if (!isKeyId(keyId) || wrapped > LONGEST_WRAPPED) {
                return null;
            }
            SealedBody body = new SealedBody(
                    new WrappedKey(keyId, take(buffer, wrapped)),
                    take(buffer, SALT_LENGTH),
                    take(buffer, Hkdf.LENGTH),
                    take(buffer, buffer.remaining()));
            // the JDK fails otherwise, and not as it says
            return body.sealed.length < TAG_BITS / Byte.SIZE ? null : body;
        } catch (BufferUnderflowException truncated) {
            return null;
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] take(ByteBuffer from, int length) {
        byte[] taken = new byte[Math.min(length, from.remaining() + 1)]; // a stated length allocates nothing
        from.get(taken);
        return taken;
    }
}
