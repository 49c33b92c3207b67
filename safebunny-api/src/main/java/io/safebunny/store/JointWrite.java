// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.Comparator;
import java.util.List;

/** Result of {@link MessageStore#writeTogether}: everything was written, or nothing. */
public sealed interface JointWrite {

    /**
     * Messages first, then companions. Writers must agree on an order: two that lock the same records in different orders
     * deadlock.
     */
    Comparator<MessageRecord> LOCK_ORDER = Comparator.comparing(
                    (MessageRecord record) -> record.key().isCompanion())
            .thenComparing(record -> record.key().messageId());

    /**
     * All records were written.
     *
     * @param records as now stored, in the order in which they were given
     */
    record Written(List<MessageRecord> records) implements JointWrite {
        public Written {
            records = List.copyOf(records);
        }
    }

    /**
     * No record was written.
     *
     * @param key a record that conflicted: the stored version is not the preceding one, or it was to be created but exists
     */
    record Overtaken(RecordKey key) implements JointWrite {}

    /**
     * Stores call this before they write.
     *
     * @throws IllegalArgumentException when the list is empty, has two records with the same key, or spans partitions
     */
    static void requireOnePartition(List<MessageRecord> records) {
        if (records.stream()
                        .map(record -> record.key().correlationId())
                        .distinct()
                        .count()
                != 1) {
            throw new IllegalArgumentException("Records written together must have the same correlation id");
        }
        if (records.stream().map(MessageRecord::key).distinct().count() != records.size()) {
            throw new IllegalArgumentException("Records written together must be different, but one key occurs twice");
        }
    }

    /** Whether the record is to be created; otherwise it replaces the preceding version. */
    static boolean isCreated(MessageRecord record) {
        return record.version() == 1;
    }
}
