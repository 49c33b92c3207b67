// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.serialization.json.ExactTree;
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

    /** A quote in a text in a text in a document, as the Cosmos DB store writes it. */
    private static final int LONGEST_ESCAPE = 4;

    private SagaSize() {}

    /** Size in bytes in the store that escapes most. */
    static long stored(String json) {
        long bytes = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '"' || c == '\\') {
                bytes += LONGEST_ESCAPE;
            } else if (c < 0x80) {
                bytes++;
            } else if (c < 0x800 || Character.isSurrogate(c)) {
                // half of a pair, which takes four bytes in all
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

    /** Whether the whole document fits. */
    static boolean fits(String json) {
        long most = LARGEST + RESERVED;
        return (long) json.length() * LONGEST_ESCAPE <= most || stored(json) <= most;
    }

    /**
     * Call it before the application's part of the document grows.
     *
     * @param what named in the exception
     * @param before what is replaced; empty for nothing @throws InvalidMessageException {@code too-large}
     */
    static void requireRoom(ObjectNode root, String saga, String what, String before, String after) {
        long more = stored(after) - stored(before);
        // shrinking is always allowed
        if (more <= 0) {
            return;
        }
        long size = stored(root.path("state")) + stored(root.path(SagaSteps.NAME));
        if (size + more > LARGEST) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "Saga %s has no room for %s [bytes=%s, room=%s]: its state, commands and undos must fit into %s bytes in the store, where a quote takes four. Keep large data elsewhere, and references to it in the saga and its commands."
                            .formatted(saga, what, more, Math.max(0, LARGEST - size), LARGEST));
        }
    }
}
