// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.message.Names;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SPI of the durable records of one consuming node. Thread-safe, also across instances: every write is atomic, conditional on the
 * records it names, and durable when it returns. A store must not decide anything by the clock of the application's machine.
 *
 * <p>All methods block. A store that cannot answer throws {@link StoreUnavailableException}: the caller then does not know
 * whether a write took effect, does not handle the message, and lets it come back. Any other {@code RuntimeException} is treated
 * in the same way, except {@link RecordRefusedException}, which means that this one record can never be stored as it is; its
 * message is set aside. A store must not throw that for a temporary problem or one that may affect other records, which is an
 * outage.
 */
public interface MessageStore {

    /**
     * Creates the record unless one with its key exists. Of concurrent calls exactly one creates it. A repeat is harmless.
     *
     * @param record with version 1
     * @return the record now stored under the key: this one (recognisable by its owner), or the existing one
     * @throws UnreadableRecordException when the existing record was written by a newer version of SafeBunny that this one cannot
     *     read
     * @throws RecordRefusedException when the store refuses the record for good; nothing is stored
     */
    MessageRecord create(MessageRecord record);

    /**
     * Replaces the record if the stored one has the preceding version. Never creates a missing record, so that a late write does
     * not resurrect an expired one.
     *
     * @param record derived from the record that this store returned for the key
     * @return the record as now stored, or {@code null} if another version or none was stored. A repeat after a lost answer also
     *     returns {@code null}; use {@link #find} to tell the difference
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
     * @throws RecordRefusedException if the store refuses one of them for good; use {@link #replace} to find out which
     */
    default void replaceAll(List<MessageRecord> records) {
        records.forEach(this::replace);
    }

    /**
     * Writes a few records of one partition, all or nothing: a message's record and its companions, or companions alone. A record
     * with version 1 is created and must not exist; of any other, the preceding version must be stored. If one conflicts,
     * wherever it stands in the list, nothing changes. Companions expire as records of messages do: after the {@link Retention}
     * of a final state, otherwise never. A store need not accept more than ten records at a time.
     *
     * @param records records of one correlation id, each new or derived from the record that this store returned for its key
     * @return {@link JointWrite.Written}, or {@link JointWrite.Overtaken} with the key of one that conflicted. A repeat after a
     *     lost answer is overtaken by its own first write; use {@link #find} and compare owner and version
     * @throws RecordTooLargeException when one record, which the exception names, or all of them together are too large; nothing
     *     changed
     * @throws RecordRefusedException when the store refuses one of them for good for another reason; nothing changed
     */
    JointWrite writeTogether(List<MessageRecord> records);

    /** The record stored under the key; never older than what an earlier call of this process returned. */
    @Nullable
    MessageRecord find(RecordKey key);

    /**
     * Records in state {@link RecordState#COMPLETED} that have not changed for at least this long, by the store's clock; oldest
     * first, if the store can. May be slightly stale.
     */
    List<MessageRecord> findCompleted(Duration unchangedFor, int limit);

    /**
     * Companions that are due by {@link Listing#dueAt}, earliest first. May be slightly stale. Omits records of a newer version
     * of SafeBunny that this one cannot read.
     *
     * @param from the earliest {@code dueAt}, compared as stored, without the store's own clock. {@link Instant#EPOCH} for no
     *     bound
     * @param until the latest one
     */
    List<MessageRecord> findDue(Instant from, Instant until, int limit);

    /**
     * Companions with a {@link Listing}, oldest first by {@link Listing#createdAt}. May be slightly stale. Omits what {@link
     * #findDue} omits.
     */
    List<MessageRecord> findListed(ListingQuery query);

    /** Number of companions with a {@link Listing} of this kind and status. May be slightly stale. */
    long countListed(String kind, String status);

    /**
     * What is stored of one correlation id, in the order of {@link DatedRecord#SHARED_FIRST}, for people who ask: the records of
     * messages and their companions, but not steps that are kept apart. Nothing is decided by it, and it may be slightly stale.
     * Omits what {@link #findDue} omits.
     *
     * @param correlationId as in {@link RecordKey}; nothing is found for a text that {@link Names#isMessageId} refuses
     * @param limit maximum to return; if there are more, the store chooses which. It may return fewer once the records {@linkplain
     *     DatedRecord#holdMuch hold much}
     */
    List<DatedRecord> findCorrelated(String correlationId, int limit);

    /**
     * The correlation ids of the messages with this id of which a record is stored, for people who know nothing else. A store need
     * not have an index for that, so this may read the keys of all records of the node.
     *
     * @param messageId nothing is found for a text that {@link Names#isMessageId} refuses, such as the id of a companion
     * @param limit maximum to return; if there are more, the store chooses which
     * @param atMost how long looking may take; stores may round it up to whole seconds, and take less if one of their calls may not take
     *     so long. The wait for a connection is not part of it
     * @throws StoreUnavailableException also if there was not enough time to look everywhere, or if the store refuses to look for several
     *     people at a time
     */
    List<String> findCorrelationIds(String messageId, int limit, Duration atMost);

    /**
     * A part of all records of the node: of messages, their companions, and steps that are kept apart, in an order of the store's. Whoever
     * reads all parts one after the other gets each record that is there from the first to the last of them; what is written or removed
     * meanwhile may be among them. For people who ask: nothing is decided by it.
     *
     * @param after {@link StoredPage#next} of the part before; {@code null} for the first
     * @param limit maximum to return, at least 1. It may return fewer once the records hold much
     * @return {@code null}, the default, if the store cannot list all it has
     * @throws StoreUnavailableException if the store does not answer; the part may be asked for again
     */
    default @Nullable StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
        return null;
    }

    /**
     * Whether the same records may also be written through a {@link TransactionalMessageStore}, which keeps a message's steps in
     * a separate record. If so (the default), steps are also read from there: one more {@link #find} for a message with steps.
     */
    default boolean mayKeepStepsApart() {
        return true;
    }

    /**
     * Whether {@link #find} sees all that any process had been told was written when it was called (the default). Otherwise a consumer
     * that takes over from another process may miss what that has written, so messages with an order key are claimed in one write with
     * their lane: one more record for each of them.
     */
    default boolean readsAreDecisive() {
        return true;
    }

    /**
     * Removes records in a final state that have not changed for the store's {@link Retention}, which is longer for {@link
     * RecordState#POISONED}, in batches small enough not to slow traffic down. The current state counts: a record that was
     * poisoned and has been handled since is kept as long as any other.
     *
     * @param limit maximum number of records to remove in this call
     * @return number of records removed; fewer than the limit means that there are no more. 0 for a store that expires records
     *     itself
     */
    int removeExpired(int limit);
}
