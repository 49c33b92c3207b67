// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

import java.util.Comparator;
import java.util.List;

/** How {@link MessageStore#writeTogether} ended: everything was written, or nothing. */
public sealed interface JointWrite {

    /** Two writers that lock the same records in different orders deadlock: messages first, then companions. */
    Comparator<MessageRecord> LOCK_ORDER = Comparator.comparing(
                    (MessageRecord record) -> record.key().isCompanion())
            .thenComparing(record -> record.key().messageId());

    /**
     * All of them.
     *
     * @param records as stored now, in the order in which they were given
     */
    record Written(List<MessageRecord> records) implements JointWrite {
        public Written {
            records = List.copyOf(records);
        }
    }

    /**
     * None of them.
     *
     * @param key of one that is not there in the version just before, or that was to be created and is there
     */
    record Overtaken(RecordKey key) implements JointWrite {}

    /**
     * For stores, before they begin.
     *
     * @throws IllegalArgumentException when there are none, two with one key, or records of different partitions
     */
    static void requireOnePartition(List<MessageRecord> records) {
        if (records.stream()
                        .map(record -> record.key().correlationId())
                        .distinct()
                        .count()
                != 1) {
            throw new IllegalArgumentException("Only records of one correlation id can be written together");
        }
        if (records.stream().map(MessageRecord::key).distinct().count() != records.size()) {
            throw new IllegalArgumentException("A record cannot be written twice at once");
        }
    }

    /** Whether the record is created: otherwise it replaces the version before. */
    static boolean isCreated(MessageRecord record) {
        return record.version() == 1;
    }
}
