// SPDX-License-Identifier: Apache-2.0
package io.safebunny.protobuf;

import com.google.protobuf.Message;
import java.util.Collection;

/** Finds halves of characters, which protobuf writes as question marks. Pure. */
final class Surrogates {

    private Surrogates() {}

    static boolean mayBeLost(byte[] body) {
        for (byte b : body) {
            if (b == '?') {
                return true;
            }
        }
        return false;
    }

    static boolean isUnpairedIn(Object value) {
        if (value instanceof String text) {
            return isUnpairedIn(text);
        }
        if (value instanceof Message message) {
            return message.getAllFields().values().stream().anyMatch(Surrogates::isUnpairedIn);
        }
        return value instanceof Collection<?> values && values.stream().anyMatch(Surrogates::isUnpairedIn);
    }

    private static boolean isUnpairedIn(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }
}
