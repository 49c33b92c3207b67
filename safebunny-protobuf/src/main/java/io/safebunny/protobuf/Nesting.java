// SPDX-License-Identifier: Apache-2.0
package io.safebunny.protobuf;

import com.google.protobuf.Message;
import java.util.Collection;

/** Finds messages that are too deep within others. Pure. */
final class Nesting {

    private Nesting() {}

    /** Whether there are more than so many levels below this message. Goes no deeper than that. */
    static boolean isDeeper(Message message, int levels) {
        return message.getAllFields().values().stream().anyMatch(value -> isDeeper(value, levels));
    }

    private static boolean isDeeper(Object value, int levels) {
        if (value instanceof Message message) {
            return levels == 0 || isDeeper(message, levels - 1);
        }
        return value instanceof Collection<?> values && values.stream().anyMatch(each -> isDeeper(each, levels));
    }
}
