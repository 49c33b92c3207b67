// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SPI of the durable records of one consuming node. Thread-safe, also across instances: every write is atomic and conditional
 * on the records it names, and durable when it returns. A store never uses the clock of the application's machine to decide
 * anything.
 *
 * <p>All methods block. A store that cannot answer throws {@link StoreUnavailableException}: the caller then does not know
 * whether a write took place, nothing is handled without its record, and the message comes back. Any other
 * {@code RuntimeException} is treated the same way, but for {@link RecordRefusedException}: by it a store says of a write that
 * this one record can never be stored as it is, and its message is set aside. A store must not throw it for what may pass, or may
 * concern other records too: that is an outage.
 */
public interface MessageStore {

    /**
     * Creates the record unless there is one with its key. Of concurrent calls exactly one creates. A repeat is harmless.
     *
     * @param record with version 1
     * @return the record that is stored under the key now: this one (the owner tells), or the one that was there before
     * @throws UnreadableRecordException when what was there before was written by a version of the library that this one does
     *     not understand
     * @throws RecordRefusedException when the store refuses it for good; nothing is stored
     */
    MessageRecord create(MessageRecord record);

    /**
     * Replaces the record if what is stored has the version just before. A missing record is never created, so that nothing
     * comes back to life by a late write.
     *
     * @param record derived from what this store returned for its key
     * @return the record as stored now, or {@code null} when another version, or none, was there. After a repeat whose first
     *     answer got lost it is {@code null} too; {@link #find} then tells
     * @throws RecordTooLargeException when the store cannot hold so much; the stored record is unchanged
     * @throws RecordRefusedException when the store refuses it for good for another reason; the stored record is unchanged
     */
    @Nullable
    MessageRecord replace(MessageRecord record);

    /**
     * Replaces each of the records as {@link #replace} does, independently of each other: where another version is stored
     * nothing happens. After an exception each of them may or may not be replaced; a repeat is harmless.
     *
     * @throws RecordRefusedException when the store refuses one of them for good; {@link #replace} tells which
     */
    default void replaceAll(List<MessageRecord> records) {
        records.forEach(this::replace);
    }

    /**
     * Writes a few records of one partition, all or nothing: a message's record and its companions, or companions alone. One with version 1
     * is created and must not be there; of any other the version just before must be. When one of them does not fit, nothing changes,
     * wherever it stands in the list. Companions are expired as records of messages are: in a final state after the retention,
     * else never. A store need not take more than ten at a time.
     *
     * @param records of one correlation id, each derived from what this store returned for its key, or new
     * @return {@link JointWrite.Written}, or {@link JointWrite.Overtaken} with the key of one that did not fit. After a repeat whose
     *     first answer got lost it is overtaken by itself: {@link #find} then tells, by owner and version
     * @throws RecordTooLargeException when the store cannot hold one of them, which it names, or all of them at once; nothing changed
     * @throws RecordRefusedException when the store refuses one of them for good for another reason; nothing changed
     */
    JointWrite writeTogether(List<MessageRecord> records);

    /** What is stored under the key; not older than what any earlier call of this process returned. */
    @Nullable
    MessageRecord find(RecordKey key);

    /**
     * Records in state {@link RecordState#COMPLETED} that did not change for so long, by the store's clock; oldest first as
     * far as the store can. May be slightly stale.
     */
    List<MessageRecord> findCompleted(Duration unchangedFor, int limit);

    /**
     * Removes records in a final state that did not change for the store's retention; in small portions that do not hinder
     * traffic.
     *
     * @param limit most records to remove in this call
     * @return how many it removed; less than the limit: there are no more. 0 for a store that forgets by itself
     */
    int removeExpired(int limit);
}
