// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

/** Checks on the bytes of a JSON document that Jackson does not make. Pure. */
final class JsonBytes {

    /** Largest exponent of a number. Also the limit for declared decimals, which {@link ExactNumbers} reads. */
    static final int LARGEST_EXPONENT = 1_000;

    private static final int GUESSED_BY = 4;
    /** Length of a Unicode escape such as {@code \u0000}. */
    private static final int ESCAPE = 6;

    private JsonBytes() {}

    /**
     * Whether a body is valid UTF-8, as RFC 8259 requires of JSON between systems. Jackson also guesses other encodings and accepts
     * illegal sequences such as overlong ones, which another reader may decode differently.
     */
    static boolean areUtf8(byte[] body) {
        for (int i = 0; i < Math.min(body.length, GUESSED_BY); i++) {
            if (body[i] == 0) { // UTF-16 or UTF-32
                return false;
            }
        }
        int at = 0;
        while (at < body.length) {
            int lead = body[at++];
            if (lead < 0) {
                int more = continuations(lead & 0xff);
                if (more == 0 || at + more > body.length || !continues(lead & 0xff, body, at, more)) {
                    return false;
                }
                at += more;
            }
        }
        return true;
    }

    /** Number of continuation bytes after this one; 0 if it cannot start a sequence. */
    private static int continuations(int lead) {
        if (lead < 0xc2 || lead > 0xf4) {
            return 0;
        }
        return lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    }

    /**
     * Whether the byte can continue the sequence. After some lead bytes the second byte has a narrower range, which excludes overlong
     * forms, surrogates and values above U+10FFFF.
     */
    private static boolean continues(int lead, byte[] body, int at, int more) {
        int second = body[at] & 0xff;
        int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (second < lowest || second > highest) {
            return false;
        }
        for (int i = 1; i < more; i++) {
            if ((body[at + i] & 0xc0) != 0x80) {
                return false;
            }
        }
        return true;
    }

    /**
     * Finds the first unpaired surrogate (half of a character) that is written as an escape, such as {@code \ud800} without its other half.
     * JSON's grammar and Jackson allow them, but UTF-8 cannot express them: written again they become question marks, and different texts
     * become equal.
     *
     * @param json in UTF-8
     * @return its byte index, or -1
     */
    static int unpairedSurrogate(byte[] json) {
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

    /**
     * Whether a number has too large an exponent. Needed for numbers without a declared type, which become decimals: {@code
     * 1e1000000000} is harmless only until something is added to it.
     *
     * @param json valid JSON; the parser checks that
     */
    static boolean haveTooLargeExponent(byte[] json) {
        boolean inText = false;
        for (int at = 0; at < json.length; at++) {
            byte c = json[at];
            if (inText && c == '\\') {
                at++;
            } else if (c == '"') {
                inText = !inText;
            } else if (!inText && (c == 'e' || c == 'E') && at > 0 && isDigit(json[at - 1]) && tooLarge(json, at + 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean tooLarge(byte[] json, int from) {
        int at = from < json.length && (json[from] == '+' || json[from] == '-') ? from + 1 : from;
        int exponent = 0;
        while (at < json.length && isDigit(json[at]) && exponent <= LARGEST_EXPONENT) {
            exponent = exponent * 10 + json[at] - '0';
            at++;
        }
        return exponent > LARGEST_EXPONENT;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }
}
