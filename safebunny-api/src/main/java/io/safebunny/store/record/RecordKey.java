// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

/**
 * Identifies a record within the consuming node: the record of a message, or a companion with data that changes together with it.
 * The correlation id is the partition.
 */
public record RecordKey(String correlationId, String messageId) {

    /** Marks companions; no message id contains this character. */
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
     * A companion of this record that is never part of a handler's transaction: the store keeps it where neither the locks of such a
     * transaction, nor anybody waiting for them, can block it.
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
