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
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an encrypted body: {@code "SB1"}, the key id (length in one byte, then text), the wrapped data key (length in two bytes, then
 * bytes), salt (32), commitment (32), ciphertext with its tag (16). Each body has a key of its own, derived from data key and salt, so the nonce
 * is constant; the commitment makes a ciphertext readable with one key only. One whose person has a key begins with {@code "SB2"}, has the id of
 * that key (16 bytes) before the salt, and its own key is derived from both. Immutable.
 *
 * @param subjectKey id of the key of its person; {@code null} if it has none
 * @param sealed the ciphertext with its tag
 */
record SealedBody(WrappedKey wrapped, @Nullable String subjectKey, byte[] salt, byte[] commitment, byte[] sealed) {

    static final int SALT_LENGTH = 32;
    private static final int KEY_LENGTH = 32;

    private static final byte[] MAGIC = ascii("SB1");
    private static final byte[] MAGIC_WITH_SUBJECT = ascii("SB2");
    private static final int SUBJECT_KEY_LENGTH = 16;
    private static final HexFormat HEX = HexFormat.of();
    private static final int LONGEST_WRAPPED = 1024;
    private static final Pattern KEY_ID = Pattern.compile("[A-Za-z0-9._:/-]{1,128}");
    private static final int TAG_BITS = 128;
    private static final byte[] NONCE = new byte[12];

    /** The key of a person, opened. */
    record Subject(String keyId, SecretKey key) {}

    /**
     * @param subject whose key is needed to read it, too; {@code null} for nobody's
     * @param salt 32 random bytes, never used before
     * @param identity what the body is bound to
     */
    static SealedBody seal(DataKey key, @Nullable Subject subject, byte[] salt, byte[] identity, byte[] body)
            throws GeneralSecurityException {
        Derived derived = Derived.of(salt, key.key(), subject == null ? null : subject.key);
        return new SealedBody(
                key.wrapped(),
                subject == null ? null : subject.keyId,
                salt,
                derived.commitment(),
                derived.crypt(Cipher.ENCRYPT_MODE, identity, body));
    }

    /**
     * @param subject the key of its {@link #subjectKey}; {@code null} if it has none
     * @throws GeneralSecurityException it was sealed with another key or for another identity, or has been changed
     */
    byte[] open(Key key, @Nullable Key subject, byte[] identity) throws GeneralSecurityException {
        Derived derived = Derived.of(salt, key, subject);
        if (!MessageDigest.isEqual(commitment, derived.commitment())) {
            throw new GeneralSecurityException("sealed with another key");
        }
        return derived.crypt(Cipher.DECRYPT_MODE, identity, sealed);
    }

    /**
     * What belongs to one body alone.
     *
     * @param format its first bytes, so that no key serves two formats
     */
    private record Derived(String format, Hkdf keys) {

        static Derived of(byte[] salt, Key key, @Nullable Key subject) throws GeneralSecurityException {
            require(key);
            if (subject == null) {
                return new Derived("SB1", new Hkdf(salt, key));
            }
            require(subject);
            return new Derived("SB2", new Hkdf(salt, key, subject));
        }

        /** A key that does not tell its bytes would be as good as none: derivation would go by the salt alone. */
        private static void require(Key key) throws InvalidKeyException {
            byte[] bytes = key.getEncoded();
            if (bytes == null || bytes.length != KEY_LENGTH) {
                throw new InvalidKeyException("a data key must tell its 32 bytes");
            }
        }

        byte[] commitment() throws GeneralSecurityException {
            return keys.expand(ascii("safebunny " + format + " commitment"));
        }

        byte[] crypt(int mode, byte[] identity, byte[] text) throws GeneralSecurityException {
            SecretKeySpec own = new SecretKeySpec(keys.expand(ascii("safebunny " + format + " key")), "AES");
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, own, new GCMParameterSpec(TAG_BITS, NONCE));
            cipher.updateAAD(identity);
            return cipher.doFinal(text);
        }
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
        byte[] subject = subjectKey == null ? new byte[0] : HEX.parseHex(subjectKey);
        return ByteBuffer.allocate(MAGIC.length
                        + 1
                        + id.length
                        + 2
                        + key.length
                        + subject.length
                        + salt.length
                        + commitment.length
                        + sealed.length)
                .put(subjectKey == null ? MAGIC : MAGIC_WITH_SUBJECT)
                .put((byte) id.length)
                .put(id)
                .putShort((short) key.length)
                .put(key)
                .put(subject)
                .put(salt)
                .put(commitment)
                .put(sealed)
                .array();
    }

    /** The id of the key of a body of which these are the first bytes; {@code null} if they are of no encrypted body. */
    static @Nullable String keyIdOf(byte[] beginning) {
        int at = MAGIC.length + 1;
        if (beginning.length < at
                || !(Arrays.equals(beginning, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                        || Arrays.equals(beginning, 0, MAGIC.length, MAGIC_WITH_SUBJECT, 0, MAGIC.length))) {
            return null;
        }
        int length = Byte.toUnsignedInt(beginning[MAGIC.length]);
        if (beginning.length < at + length) {
            return null;
        }
        String keyId = new String(beginning, at, length, StandardCharsets.US_ASCII);
        return isKeyId(keyId) ? keyId : null;
    }

    /** {@code null} if these bytes are no encrypted body. */
    static @Nullable SealedBody read(byte[] bytes) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            byte[] magic = take(buffer, MAGIC.length);
            boolean hasSubject = Arrays.equals(magic, MAGIC_WITH_SUBJECT);
            if (!hasSubject && !Arrays.equals(magic, MAGIC)) {
                return null;
            }
            String keyId = new String(take(buffer, Byte.toUnsignedInt(buffer.get())), StandardCharsets.US_ASCII);
            int wrapped = Short.toUnsignedInt(buffer.getShort());
            if (!isKeyId(keyId) || wrapped > LONGEST_WRAPPED) {
                return null;
            }
            SealedBody body = new SealedBody(
                    new WrappedKey(keyId, take(buffer, wrapped)),
                    hasSubject ? HEX.formatHex(take(buffer, SUBJECT_KEY_LENGTH)) : null,
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
