// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.time.Instant;

/**
 * Identifies a scheduled message: the node that stores it, its message id, and when it was scheduled. The time makes it possible to
 * distinguish a message that the store has forgotten from one that it does not have yet. Immutable.
 */
record Handle(String node, String messageId, Instant scheduledAt) {

    private static final String SEPARATOR = "~"; // occurs neither in node names nor in ids

    /** @throws MisuseException SB-5013 if the text is not a handle of that node */
    static Handle parse(String text, String node) {
        String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != 3 || !Names.isCorrelationId(parts[1])) {
            throw misuse(text, "schedule did not return it. Use the one that it returned");
        }
        if (!parts[0].equals(node)) {
            throw misuse(
                    text,
                    "another node stores that message, and this is %s. Use the ScheduledMessages of that node"
                            .formatted(node));
        }
        try {
            return new Handle(node, parts[1], Instant.ofEpochMilli(Long.parseLong(parts[2], Character.MAX_RADIX)));
        } catch (NumberFormatException e) {
            throw misuse(text, "schedule did not return it. Use the one that it returned");
        }
    }

    private static MisuseException misuse(String text, String why) {
        return new MisuseException(
                MisuseException.SCHEDULING,
                "Invalid handle of a scheduled message [%s]: %s.".formatted(Names.printable(text), why));
    }

    /** The text that {@link #parse} reads. */
    String text() {
        return node
                + SEPARATOR
                + messageId
                + SEPARATOR
                + Long.toString(scheduledAt.toEpochMilli(), Character.MAX_RADIX);
    }
}
