// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.Map;

/** What headers take in a frame. Pure. */
public final class HeaderBytes {

    /** A name's length and the value's kind. */
    private static final int AROUND = 2;

    private HeaderBytes() {}

    /** @return bytes of all names and values; a value that is no text counts as 8, the most of any scalar */
    public static int of(Map<String, Object> headers) {
        if (headers.isEmpty()) { // most have none, and a walk allocates
            return 0;
        }
        int bytes = 0;
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            bytes += AROUND
                    + utf8(header.getKey())
                    + (header.getValue() instanceof String text ? Integer.BYTES + utf8(text) : Long.BYTES);
        }
        return bytes;
    }

    /** Counted without encoding the text, because every delivery asks. Each half of a surrogate pair stands for 2 of its 4 bytes. */
    static int utf8(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
            }
        }
        return bytes;
    }
}
