// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.time.Instant;

/**
 * Names a scheduled message: the node that keeps it, its message id, and since when, without which a message that the store has
 * forgotten could not be told from one that it does not know yet. Immutable.
 */
record Handle(String node, String messageId, Instant scheduledAt) {

    private static final String SEPARATOR = "~"; // in no name of a node and in no id

    /** @throws MisuseException SB-5013 when it is not one of that node */
    static Handle parse(String text, String node) {
        String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != 3 || !Names.isCorrelationId(parts[1])) {
            throw misuse(text, "it is not what schedule returned. Pass that");
        }
        if (!parts[0].equals(node)) {
            throw misuse(text, "another node keeps that message, and this is %s. Ask there".formatted(node));
        }
        try {
            return new Handle(node, parts[1], Instant.ofEpochMilli(Long.parseLong(parts[2], Character.MAX_RADIX)));
        } catch (NumberFormatException e) {
            throw misuse(text, "it is not what schedule returned. Pass that");
        }
    }

    private static MisuseException misuse(String text, String why) {
        return new MisuseException(
                MisuseException.SCHEDULING,
                "Invalid handle of a scheduled message [%s]: %s.".formatted(Names.printable(text), why));
    }

    /** What {@link #parse} reads. */
    String text() {
        return node
                + SEPARATOR
                + messageId
                + SEPARATOR
                + Long.toString(scheduledAt.toEpochMilli(), Character.MAX_RADIX);
    }
}
