// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.serialization.json.ExactTree;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Size limits of a saga: it must fit into every store together with a message that repeats all its commands or undos. What the
 * application adds is limited more strictly, so there is always room to mark the saga as stuck, to undo it and to repair it.
 * Pure.
 */
final class SagaSize {

    /** Limit for state and steps, in bytes as stored. Twice this plus {@link #RESERVED} fits into one Cosmos DB batch. */
    static final int LARGEST = 800_000;

    /** Room for history, blocks, reasons and marks, which have limits of their own. */
    static final int RESERVED = 200_000;

    /** Bytes of a quote in a text that is nested in another text of a JSON document, as the Cosmos DB store writes it. */
    private static final int LONGEST_ESCAPE = 4;

    /** Bytes of a control character in such a text: a backslash, which is escaped again, a letter and four digits. */
    private static final long LONGEST_CHARACTER = LONGEST_ESCAPE + 5;

    /** An upper bound for the other bytes of a node: quotes, colon, comma, brackets, or a constant. */
    private static final long OF_ANY_NODE = 16;

    private SagaSize() {}

    /** Size in bytes in the store that escapes the most characters. */
    static long stored(String json) {
        long bytes = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '"' || c == '\\') {
                bytes += LONGEST_ESCAPE;
            } else if (c < 0x80) {
                bytes++;
            } else if (c < 0x800 || Character.isSurrogate(c)) {
                // for a surrogate: half of a pair, which takes four bytes in all
                bytes += 2;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }

    private static long stored(JsonNode part) {
        return part.isMissingNode() ? 0 : stored(ExactTree.write(part));
    }

    /** An upper bound of the size, computed without writing the JSON. Most sagas are so small that this is enough. */
    private static long atMost(JsonNode part) {
        long characters = part.isNumber()
                ? part.asString().length()
                : part.isString() ? part.stringValue().length() : 0;
        long bytes = OF_ANY_NODE + characters * LONGEST_CHARACTER;
        for (Map.Entry<String, JsonNode> property : part.properties()) {
            bytes += OF_ANY_NODE + property.getKey().length() * LONGEST_CHARACTER + atMost(property.getValue());
        }
        if (part.isArray()) {
            for (JsonNode element : part) {
                bytes += atMost(element);
            }
        }
        return bytes;
    }

    /** Whether the whole document fits into every store. */
    static boolean fits(String json) {
        long most = LARGEST + RESERVED;
        return (long) json.length() * LONGEST_ESCAPE <= most || stored(json) <= most;
    }

    /**
     * Call before the application's part of the document grows.
     *
     * @param what names the part that grows, for the exception
     * @param before the part that is replaced; a missing node if there is none
     * @throws InvalidMessageException {@code too-large}
     */
    static void requireRoom(ObjectNode root, String saga, String what, JsonNode before, JsonNode after) {
        JsonNode state = root.path("state");
        JsonNode steps = root.path(SagaSteps.NAME);
        if (atMost(state) + atMost(steps) + atMost(after) <= LARGEST) {
            return;
        }
        long more = stored(after) - stored(before);
        // shrinking is always allowed
        if (more <= 0) {
            return;
        }
        long size = stored(state) + stored(steps);
        if (size + more > LARGEST) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "Saga %s has no room for %s [bytes=%s, room=%s]: its state, commands and undos must fit into %s bytes in the store, where a quote takes four. Keep large data elsewhere, and references to it in the saga and its commands."
                            .formatted(saga, what, more, Math.max(0, LARGEST - size), LARGEST));
        }
    }
}
