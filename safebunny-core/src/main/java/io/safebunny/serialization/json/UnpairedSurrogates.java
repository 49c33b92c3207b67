// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

/**
 * Finds halves of characters in JSON, written as escapes ({@code \ud800} without its other half). JSON's grammar and Jackson
 * allow them, but UTF-8 cannot express them: written again they become question marks, and different texts become equal. Pure.
 */
final class UnpairedSurrogates {

    /** {@code \u0000}. */
    private static final int ESCAPE = 6;

    private UnpairedSurrogates() {}

    /**
     * @param json in UTF-8
     * @return byte index of the first one, or -1
     */
    static int in(byte[] json) {
        int at = 0;
        while (at < json.length) {
            if (json[at] != '\\') {
                at++;
            } else if (!Character.isSurrogate(escaped(json, at))) {
                // skip the escaped character: an escaped backslash must not start another escape
                at += 2;
            } else if (Character.isSurrogatePair(escaped(json, at), escaped(json, at + ESCAPE))) {
                at += 2 * ESCAPE;
            } else {
                return at;
            }
        }
        return -1;
    }

    /** The character of the Unicode escape at this index; 0 if there is none. The parser checks its syntax. */
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
