// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;

/**
 * An encrypted data key. Immutable; the bytes are not copied and must not be changed.
 *
 * @param keyId the key that wraps it, with its version: 1 to 128 characters of {@code [A-Za-z0-9._:/-]}
 * @param bytes the wrapped data key, at most 1,024 bytes
 */
public record WrappedKey(String keyId, byte[] bytes) {

    static final String WRAPPING = "AESWrap"; // RFC 3394

    /**
     * The data key, if the wrapping key is an AES key that is at hand (RFC 3394).
     *
     * @throws IllegalArgumentException it was not wrapped by this key, or has been changed
     */
    public SecretKey openedBy(Key wrapping) {
        try {
            Cipher cipher = Cipher.getInstance(WRAPPING);
            cipher.init(Cipher.UNWRAP_MODE, wrapping);
            return (SecretKey) cipher.unwrap(bytes, "AES", Cipher.SECRET_KEY);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("A data key was not wrapped by the key " + keyId, e);
        }
    }

    /** Compares the bytes. */
    @Override
    public boolean equals(Object other) {
        return other instanceof WrappedKey wrapped
                && keyId.equals(wrapped.keyId)
                && Arrays.equals(bytes, wrapped.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * keyId.hashCode() + Arrays.hashCode(bytes);
    }

    /** Names the wrapping key alone. */
    @Override
    public String toString() {
        return "WrappedKey[" + keyId + "]";
    }
}
