// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

/**
 * Identifies a record within the consuming node: that of a message, or a companion, which holds other data that changes together
 * with messages' records. The correlation id is the partition.
 */
public record RecordKey(String correlationId, String messageId) {

    /** A character that no message id contains. */
    private static final char COMPANION = '~';

    /**
     * A companion of this record, in the same partition; never the key of a message.
     *
     * @param name made of letters, digits, dots, underscores, colons and hyphens
     */
    public RecordKey companion(String name) {
        return new RecordKey(correlationId, messageId + COMPANION + name);
    }

    /** A companion shared by all records of one partition. */
    public static RecordKey companion(String correlationId, String name) {
        return new RecordKey(correlationId, "").companion(name);
    }

    /**
     * A companion of this record that is never part of a handler's transaction: a store keeps it where no lock that such a
     * transaction holds, or that somebody waits for because of it, is in its way.
     *
     * @param name as in {@link #companion(String)}
     */
    public RecordKey companionApart(String name) {
        return new RecordKey(correlationId, messageId + COMPANION + COMPANION + name);
    }

    public boolean isCompanion() {
        return messageId.indexOf(COMPANION) >= 0;
    }

    /** Whether it is a {@linkplain #companionApart companion apart} from its record. */
    public boolean isApart() {
        int first = messageId.indexOf(COMPANION);
        return first > 0 && first + 1 < messageId.length() && messageId.charAt(first + 1) == COMPANION;
    }

    /** Whether it is a companion shared by all records of its partition. */
    public boolean isShared() {
        return messageId.indexOf(COMPANION) == 0;
    }
}
