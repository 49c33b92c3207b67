// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

/**
 * Identifies a record within the consuming node: that of a message, or a companion, which holds something else that changes together with
 * records of messages. The correlation id is the partition.
 */
public record RecordKey(String correlationId, String messageId) {

    /** In no message's id. */
    private static final char COMPANION = '~';

    /**
     * A companion of this record, in the same partition; never the key of a message.
     *
     * @param name of letters, digits, dots, underscores, colons and hyphens
     */
    public RecordKey companion(String name) {
        return new RecordKey(correlationId, messageId + COMPANION + name);
    }

    /** A companion of all records of one partition. */
    public static RecordKey companion(String correlationId, String name) {
        return new RecordKey(correlationId, "").companion(name);
    }

    public boolean isCompanion() {
        return messageId.indexOf(COMPANION) >= 0;
    }
}
