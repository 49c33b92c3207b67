// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SPI for the durable records of one consuming node. Thread-safe, also across instances: every write is atomic, conditional on
 * the records it names, and durable when it returns. A store never decides anything by the clock of the application's machine.
 *
 * <p>All methods block. A store that cannot answer throws {@link StoreUnavailableException}: the caller then does not know
 * whether a write took effect, handles nothing without a record, and lets the message come back. Any other {@code
 * RuntimeException} is treated the same way, except {@link RecordRefusedException}, which says that this one record can never be
 * stored as it is; its message is set aside. A store must not throw that for a problem that may pass or may affect other records:
 * that is an outage.
 */
public interface MessageStore {

    /**
     * Creates the record unless one with its key exists. Of concurrent calls exactly one creates it. A repeat is harmless.
     *
     * @param record with version 1
     * @return the record now stored under the key: this one (recognisable by its owner), or the one that existed
     * @throws UnreadableRecordException when the existing record was written by a newer version of SafeBunny that this one cannot
     *     read
     * @throws RecordRefusedException when the store refuses the record for good; nothing is stored
     */
    MessageRecord create(MessageRecord record);

    /**
     * Replaces the record if the stored one has the preceding version. Never creates a missing record, so that a late write does
     * not resurrect one.
     *
     * @param record derived from the record that this store returned for the key
     * @return the record as now stored, or {@code null} if another version or none was stored. A repeat after a lost answer also
     *     returns {@code null}; {@link #find} then tells which it was
     * @throws RecordTooLargeException when the record is too large for the store; the stored record is unchanged
     * @throws RecordRefusedException when the store refuses the record for good for another reason; the stored record is
     *     unchanged
     */
    @Nullable
    MessageRecord replace(MessageRecord record);

    /**
     * Replaces each record as {@link #replace} does, independently of the others: where another version is stored, nothing
     * happens. After an exception, any of them may or may not have been replaced; a repeat is harmless.
     *
     * @throws RecordRefusedException when the store refuses one of them for good; call {@link #replace} to find out which
     */
    default void replaceAll(List<MessageRecord> records) {
        records.forEach(this::replace);
    }

    /**
     * Writes a few records of one partition, all or nothing: a message's record and its companions, or companions alone. A record
     * with version 1 is created and must not exist; of any other, the preceding version must be stored. If one conflicts,
     * wherever it stands in the list, nothing changes. Companions expire as records of messages do: after the {@link
     * Retention} of a final state, otherwise never. A store need not accept more than ten records at a time.
     *
     * @param records records of one correlation id, each new or derived from the record that this store returned for its key
     * @return {@link JointWrite.Written}, or {@link JointWrite.Overtaken} with the key of one that conflicted. A repeat after a
     *     lost answer is overtaken by itself: {@link #find} then tells, by owner and version
     * @throws RecordTooLargeException when one record, which the exception names, or all of them together are too large; nothing
     *     changed
     * @throws RecordRefusedException when the store refuses one of them for good for another reason; nothing changed
     */
    JointWrite writeTogether(List<MessageRecord> records);

    /** The record stored under the key; never older than what an earlier call of this process returned. */
    @Nullable
    MessageRecord find(RecordKey key);

    /**
     * Records in state {@link RecordState#COMPLETED} that have not changed for at least that long, by the store's clock; oldest
     * first, as far as the store can. May be slightly stale.
     */
    List<MessageRecord> findCompleted(Duration unchangedFor, int limit);

    /**
     * Companions whose {@link Listing#dueAt} has come, earliest first. May be slightly stale. Leaves out what a newer version of
     * SafeBunny wrote in a form that this one cannot read.
     *
     * @param from the earliest {@code dueAt}, by the clock that made it: the store's own clock plays no part. {@link
     *     Instant#EPOCH} for no bound
     * @param until the latest one
     */
    List<MessageRecord> findDue(Instant from, Instant until, int limit);

    /**
     * Companions with a {@link Listing}, oldest first by {@link Listing#createdAt}. May be slightly stale. Leaves out what {@link
     * #findDue} leaves out.
     */
    List<MessageRecord> findListed(ListingQuery query);

    /** How many companions have a {@link Listing} of this kind and status. May be slightly stale. */
    long countListed(String kind, String status);

    /**
     * Whether the records may also be written through a {@link TransactionalMessageStore}, which keeps the steps of a message apart. If
     * so, which is the default, they are looked for there, too: one {@link #find} more for a message with steps.
     */
    default boolean mayKeepStepsApart() {
        return true;
    }

    /**
     * Removes records in a final state that have not changed for the store's {@link Retention}, which is longer for {@link
     * RecordState#POISONED}, in portions small enough not to hinder traffic. The state of now counts: a record that was poisoned, and
     * is handled since, is kept as long as any other.
     *
     * @param limit most records to remove in this call
     * @return how many were removed; fewer than the limit means there are no more. 0 for a store that expires records itself
     */
    int removeExpired(int limit);
}
