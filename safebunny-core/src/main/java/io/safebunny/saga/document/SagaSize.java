// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.serialization.json.ExactTree;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How large a saga may become: within what each store takes, together with a message that repeats all its commands or undos. What the
 * application adds is bounded first, so that there is always room to mark the saga as stuck, to undo it and to repair it. Pure.
 */
final class SagaSize {

    /** State and steps, in bytes as stored. Twice that and {@link #RESERVED} is less than what Cosmos DB takes in one batch. */
    static final int LARGEST = 800_000;

    /** For history, blocks, reasons and marks, which are bounded too. */
    static final int RESERVED = 200_000;

    /** A quote within a text, within a text, within a document, as Cosmos DB's store writes it. */
    private static final int LONGEST_ESCAPE = 4;

    private SagaSize() {}

    /** In bytes, as the store writes it that escapes most. */
    static long stored(String json) {
        long bytes = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '"' || c == '\\') {
                bytes += LONGEST_ESCAPE;
            } else if (c < 0x80) {
                bytes++;
            } else if (c < 0x800 || Character.isSurrogate(c)) {
                bytes += 2; // each half of a pair: four in all
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
     * To be called before the application's part of the document grows.
     *
     * @param what for the error
     * @param before what is replaced, empty for nothing
     * @throws InvalidMessageException {@code too-large}
     */
    static void requireRoom(ObjectNode root, String saga, String what, String before, String after) {
        long more = stored(after) - stored(before);
        if (more <= 0) { // whatever becomes smaller is welcome
            return;
        }
        long size = stored(root.path("state")) + stored(root.path(SagaSteps.NAME));
        if (size + more > LARGEST) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "Saga %s has no room for %s [bytes=%s, room=%s]: its state, commands and undos may take %s bytes in the store, where a quote takes four. Keep large data elsewhere, and references to it in the saga and its commands."
                            .formatted(saga, what, more, Math.max(0, LARGEST - size), LARGEST));
        }
    }
}
