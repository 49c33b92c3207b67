// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

/**
 * Checks that a body is valid UTF-8, as RFC 8259 requires of JSON between systems. Jackson also guesses other encodings and
 * accepts illegal sequences such as overlong ones, which another reader may decode differently. Pure.
 */
final class Utf8 {

    private static final int GUESSED_BY = 4;

    private Utf8() {}

    static boolean is(byte[] body) {
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
     * After some lead bytes the second byte has a narrower range, which excludes overlong forms, surrogates and values above
     * U+10FFFF.
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
}
