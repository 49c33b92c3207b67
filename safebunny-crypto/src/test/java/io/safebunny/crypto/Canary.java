// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A text that must not be found where it is not encrypted: as it is, in UTF-16, hexadecimal, or within any Base64. Immutable. */
final class Canary {

    private final Set<String> forms = new LinkedHashSet<>();

    /** @param text of letters and digits, long enough not to appear by chance */
    Canary(String text) {
        for (Charset charset : List.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
            byte[] bytes = text.getBytes(charset);
            forms.add(new String(bytes, StandardCharsets.ISO_8859_1));
            forms.add(hex(bytes));
            forms.add(hex(bytes).toUpperCase(Locale.ROOT));
            for (int before = 0; before < 3; before++) {
                forms.add(inBase64(bytes, before));
            }
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** What is the same in each Base64 in which these bytes have so many before them, modulo 3. */
    private static String inBase64(byte[] bytes, int before) {
        byte[] shifted = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, shifted, before, bytes.length);
        String all = Base64.getEncoder().withoutPadding().encodeToString(shifted);
        int first = before == 0 ? 0 : before + 1;
        int whole = shifted.length / 3 * 4;
        return all.substring(first, whole);
    }

    boolean isIn(String text) {
        return forms.stream().anyMatch(text::contains);
    }

    boolean isIn(byte[] bytes) {
        return isIn(new String(bytes, StandardCharsets.ISO_8859_1));
    }
}
