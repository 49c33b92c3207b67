// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import java.nio.charset.StandardCharsets;

/**
 * Encodes a message id as a document id: letters, digits and hyphens stay, every other byte of the UTF-8 form becomes an
 * underscore and two hexadecimal digits. Unambiguous, and free of characters that the service or a URL would refuse or rewrite.
 */
final class DocumentId {

    private static final String HEX = "0123456789ABCDEF";

    private DocumentId() {}

    static String of(String messageId) {
        StringBuilder id = new StringBuilder(messageId.length() + 16);
        for (byte next : messageId.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain(next)) {
                id.append((char) next);
            } else {
                id.append('_').append(HEX.charAt((next >> 4) & 0xF)).append(HEX.charAt(next & 0xF));
            }
        }
        return id.toString();
    }

    private static boolean isPlain(byte next) {
        return (next >= 'a' && next <= 'z')
                || (next >= 'A' && next <= 'Z')
                || (next >= '0' && next <= '9')
                || next == '-';
    }
}
