// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that encrypts bodies, and the form in which it travels with them. Immutable.
 *
 * @param key 256 random bits, which its {@code getEncoded} tells: messages have keys that are derived from it
 * @param wrapped the same, encrypted by a key that its receivers have
 */
public record DataKey(SecretKey key, WrappedKey wrapped) {

    private static final int BYTES = 32;

    /**
     * A new, random one, wrapped by an AES key that is at hand (RFC 3394).
     *
     * @param keyId of the wrapping key
     * @param random makes the data key
     * @throws GeneralSecurityException the wrapping key cannot be used for that
     */
    public static DataKey wrappedBy(String keyId, Key wrapping, SecureRandom random) throws GeneralSecurityException {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        SecretKeySpec fresh = new SecretKeySpec(bytes, "AES");
        Cipher cipher = Cipher.getInstance(WrappedKey.WRAPPING);
        cipher.init(Cipher.WRAP_MODE, wrapping);
        return new DataKey(fresh, new WrappedKey(keyId, cipher.wrap(fresh)));
    }

    /** Names the wrapping key alone. */
    @Override
    public String toString() {
        return "DataKey[" + wrapped.keyId() + "]";
    }
}
