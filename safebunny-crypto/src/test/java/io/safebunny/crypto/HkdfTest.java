// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class HkdfTest {

    private static final HexFormat HEX = HexFormat.of();

    /** The first 32 of the 42 bytes of test case 1 of RFC 5869. */
    @Test
    void givesTheFirstBlockOfTheStandard() throws GeneralSecurityException {
        Hkdf hkdf = new Hkdf(
                HEX.parseHex("000102030405060708090a0b0c"), new SecretKeySpec(HEX.parseHex("0b".repeat(22)), "AES"));

        assertThat(HEX.formatHex(hkdf.expand(HEX.parseHex("f0f1f2f3f4f5f6f7f8f9"))))
                .isEqualTo("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
    }
}
