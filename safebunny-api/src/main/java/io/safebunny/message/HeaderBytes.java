// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import java.util.Map;

/** Size of headers in an AMQP frame. Pure. */
public final class HeaderBytes {

    /** One byte for the length of the name, and one for the type of the value. */
    private static final int AROUND = 2;

    private HeaderBytes() {}

    /** @return bytes of all names and values; a value that is not text counts as 8, the largest scalar */
    public static int of(Map<String, Object> headers) {
        // most messages have none, and iterating allocates
        if (headers.isEmpty()) {
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

    /**
     * Counted without encoding the text, because this runs for every delivery. Each half of a surrogate pair counts as 2 of its 4
     * bytes.
     */
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
