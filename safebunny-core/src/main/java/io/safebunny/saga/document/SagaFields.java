// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How a saga's tree holds times and texts. Pure. */
final class SagaFields {

    private static final int LONGEST_TEXT = 500;

    private SagaFields() {}

    /** Stored in milliseconds. */
    static Instant instant(JsonNode node, String name) {
        return Instant.ofEpochMilli(node.path(name).asLong(0));
    }

    /** Empty when there is none. */
    static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }

    static @Nullable String textIfAny(JsonNode node, String name) {
        return node.path(name).isString() ? node.path(name).asString() : null;
    }

    /** At most 500 characters, and no half ones. */
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

    /** The oldest elements go, until one more can be added. */
    static ArrayNode withRoom(ArrayNode array, int most) {
        while (array.size() >= most) {
            array.remove(0);
        }
        return array;
    }
}
