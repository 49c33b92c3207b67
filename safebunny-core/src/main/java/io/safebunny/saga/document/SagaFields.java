// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes times and texts in a saga's tree. Pure. */
final class SagaFields {

    private static final int LONGEST_TEXT = 500;

    private SagaFields() {}

    /** Reads a time, which is stored in milliseconds. */
    static Instant instant(JsonNode node, String name) {
        return Instant.ofEpochMilli(node.path(name).asLong(0));
    }

    /** Reads a text; empty if it is missing. */
    static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }

    static @Nullable String textIfAny(JsonNode node, String name) {
        return node.path(name).isString() ? node.path(name).asString() : null;
    }

    /** The text cut to at most 500 characters, without splitting a surrogate pair. */
    static String shortened(String text) {
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LONGEST_TEXT - 1)) ? LONGEST_TEXT - 1 : LONGEST_TEXT;
        return text.substring(0, end) + "…";
    }

    /** Part of the tree: added when there is none. */
    static ArrayNode array(ObjectNode root, String name) {
        return root.get(name) instanceof ArrayNode known ? known : root.putArray(name);
    }

    /** Part of the tree: added when there is none. */
    static ObjectNode object(ObjectNode root, String name) {
        return root.get(name) instanceof ObjectNode known ? known : root.putObject(name);
    }

    /** The array, after dropping the oldest elements until there is room for one more. */
    static ArrayNode withRoom(ArrayNode array, int most) {
        while (array.size() >= most) {
            array.remove(0);
        }
        return array;
    }
}
