// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

/**
 * Halves of characters in JSON, as escapes ({@code \ud800} without the other half): JSON's grammar and Jackson allow them, and UTF-8 has no
 * bytes for them. Whoever writes them on gets question marks, and two different texts become one. Pure.
 */
final class UnpairedSurrogates {

    /** {@code \u0000}. */
    private static final int ESCAPE = 6;

    private UnpairedSurrogates() {}

    /**
     * @param json in UTF-8
     * @return where the first one is, in bytes from 0; -1 when there is none
     */
    static int in(byte[] json) {
        int at = 0;
        while (at < json.length) {
            if (json[at] != '\\') {
                at++;
            } else if (!Character.isSurrogate(escaped(json, at))) {
                at += 2; // over an escaped backslash, or the u of any other character
            } else if (Character.isSurrogatePair(escaped(json, at), escaped(json, at + ESCAPE))) {
                at += 2 * ESCAPE;
            } else {
                return at;
            }
        }
        return -1;
    }

    /** The character that is escaped there; 0 when none is in this way, which is the parser's business. */
    private static char escaped(byte[] json, int at) {
        if (at + ESCAPE > json.length || json[at] != '\\' || json[at + 1] != 'u') {
            return 0;
        }
        int character = 0;
        for (int i = at + 2; i < at + ESCAPE; i++) {
            int digit = Character.digit(json[i], 16);
            if (digit < 0) {
                return 0;
            }
            character = character << 4 | digit;
        }
        return (char) character;
    }
}
