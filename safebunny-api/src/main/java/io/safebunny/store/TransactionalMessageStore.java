// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in the same database as the handlers' own writes, so that claim, writes and completion share one local transaction.
 *
 * <p>Operations called between {@link #begin} and the end of the transaction, on the same thread, are part of it. Of concurrent
 * transactions that create the same record, one proceeds and the others wait a limited time for its outcome; after that, {@code
 * create} throws {@link StoreUnavailableException} with a {@code retryAfter}.
 *
 * <p>After a {@link RecordTooLargeException} nothing of that write has happened, and the transaction goes on: the record may be written
 * once more, smaller.
 *
 * <p>Once {@link #writeTogether} of several records has been overtaken, the transaction can only be rolled back: a commit changes
 * nothing and may throw.
 */
public interface TransactionalMessageStore extends MessageStore {

    /**
     * Waits until one more message may be handled. A store with limited connections admits only as many messages as can each hold
     * a transaction while {@link #apart} still gets a connection, first come, first served. Take the permit before {@link #begin};
     * it covers any number of transactions until it is closed.
     *
     * @return the permit, to be closed once, on any thread
     * @throws InterruptedException if interrupted while waiting; the caller has no permit then
     */
    default Permit awaitPermit() throws InterruptedException {
        return () -> {};
    }

    /**
     * Opens a transaction on this thread, which must not have one.
     *
     * @throws MisuseException SB-5007 when it has one
     * @throws StoreUnavailableException when no transaction can be opened
     */
    LocalTransaction begin();

    /**
     * Whether a transaction ends only by its {@link LocalTransaction}: no statement of the application commits or rolls back everything as
     * a side effect. Then a message's record is written as handled when its handling begins, and if the handler publishes nothing, that
     * write is the only one.
     *
     * <p>Elsewhere the record says until just before the commit that the message is being handled, and that write fails if the transaction
     * has ended in the meantime.
     */
    default boolean endsKnowingly() {
        return false;
    }

    /**
     * Whether several messages can be handled in one transaction: {@link #endsKnowingly} holds, {@link LocalTransaction#mark} works, and
     * returning to a mark leaves nothing in memory that a later message would see.
     */
    default boolean sharesTransactions() {
        return false;
    }

    /**
     * Creates those records for which nothing is stored yet, if possible in one statement. Like {@link #create}, it waits for concurrent
     * transactions that create one of them.
     *
     * @param records of messages, with different keys
     * @return those that were created
     * @throws StoreUnavailableException if the store does not answer, or if it waited in vain (then with a {@code retryAfter})
     */
    default List<MessageRecord> createAll(List<MessageRecord> records) {
        return records.stream()
                .filter(record -> create(record).isSameWriteAs(record))
                .toList();
    }

    /**
     * Reads the record and locks it for the transaction open on this thread: others that lock or write it wait a limited time for
     * the transaction to end, as in {@link #create}. Never returns an older version than the previous transaction left. A missing
     * record is not locked: transactions that look for it do not wait for each other, and of those that create it one wins.
     *
     * @throws StoreUnavailableException with a {@code retryAfter} if the lock was not released in time
     * @throws MisuseException SB-5005 when no transaction of this store is open on this thread
     */
    @Nullable
    MessageRecord findAndLock(RecordKey key);

    /**
     * Runs the action in a separate transaction, independent of the one open on this thread. There, records whose key {@link
     * RecordKey#isApart} can be read and written whatever the open transaction has locked; for anything else the action waits at most a few
     * seconds.
     */
    <T> T apart(Supplier<T> action);

    /** Runs the action independently of any transaction open on this thread, on a store with or without transactions. */
    static <T extends @Nullable Object> T apart(MessageStore store, Supplier<T> action) {
        return store instanceof TransactionalMessageStore transactional ? transactional.apart(action) : action.get();
    }

    /** Permission to handle one message. */
    @FunctionalInterface
    interface Permit extends AutoCloseable {

        /** Lets the next message in. Never throws. */
        @Override
        void close();
    }

    /** One open transaction, bound to the thread that began it. */
    interface LocalTransaction {

        /**
         * Makes all writes durable, including the application's own.
         *
         * @throws StoreUnavailableException when it is unknown whether the commit took effect
         * @throws BrokenTransactionException when it was rolled back instead, because a statement had failed in it
         * @throws RuntimeException when the transaction was rolled back instead, for example by a constraint that is checked at
         *     commit
         */
        void commit();

        /**
         * Whether the transaction can still be committed with everything written in it, as far as is known without asking the database.
         * False also if nothing is known.
         */
        default boolean isKnownToBeOpen() {
            return false;
        }

        /**
         * Marks this point of the transaction, so that {@link #returnToMark} can undo what follows. Replaces the previous mark.
         *
         * @throws RuntimeException if what was written since the previous mark cannot be committed, or the previous mark is gone
         */
        default void mark() {
            throw new UnsupportedOperationException("This store does not share transactions between messages");
        }

        /**
         * Undoes all writes since the last {@link #mark}, which stays; what was written before can still be committed.
         *
         * @throws RuntimeException if the transaction can only be rolled back as a whole, or has ended
         */
        default void returnToMark() {
            throw new UnsupportedOperationException("This store does not share transactions between messages");
        }

        /**
         * Undoes all writes; has no effect after {@link #commit}, even a failed one. Never throws: if it fails, the database
         * rolls back when the connection ends.
         */
        void rollback();
    }
}
