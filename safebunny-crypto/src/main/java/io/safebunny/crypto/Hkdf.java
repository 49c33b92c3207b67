// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HKDF with SHA-256 (RFC 5869), as far as it is needed: outputs of one block, 32 bytes. Pure. */
final class Hkdf {

    static final int LENGTH = 32;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec pseudorandom;

    /** Extracts; from several keys as from one that is all of them, one after the other. */
    Hkdf(byte[] salt, Key... inputs) throws GeneralSecurityException {
        byte[][] parts = Arrays.stream(inputs).map(Key::getEncoded).toArray(byte[][]::new);
        this.pseudorandom = new SecretKeySpec(mac(new SecretKeySpec(salt, ALGORITHM), parts), ALGORITHM);
    }

    /** Expands to 32 bytes. */
    byte[] expand(byte[] info) throws GeneralSecurityException {
        return mac(pseudorandom, info, new byte[] {1});
    }

    private static byte[] mac(Key key, byte[]... parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(key);
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }
}
