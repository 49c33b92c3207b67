// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.MisuseException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in the same database as the handlers' own writes, so that claim, writes and completion share one local transaction.
 *
 * <p>Operations called between {@link #begin} and the end of the transaction, on the same thread, are part of it. Of concurrent
 * transactions that create the same record, one goes on and the others wait a limited time for its outcome; after that, {@code
 * create} throws {@link StoreUnavailableException} with a {@code retryAfter}.
 *
 * <p>Once {@link #writeTogether} of several records has been overtaken in a transaction, it can only be rolled back: a commit
 * changes nothing and may throw.
 */
public interface TransactionalMessageStore extends MessageStore {

    /**
     * Waits until one more message may be handled. A store with limited connections admits only as many messages as can each hold
     * a transaction while {@link #apart} still finds a connection, first come, first served. The turn is taken before {@link
     * #begin} and lasts until it is closed, across any number of transactions.
     *
     * @return the turn, which the holder closes once, on any thread
     * @throws InterruptedException when interrupted while waiting; no turn is held then
     */
    default Turn awaitTurn() throws InterruptedException {
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
     * The record stored under the key, which from now on belongs to the transaction open on this thread: others that ask for it in
     * this way, or write it, wait a limited time for the transaction to end, as in {@link #create}. Never an older version than
     * the one that the transaction before it left. A record that is missing is not reserved: transactions that look for it do not
     * wait for each other, and of those that create it one wins.
     *
     * @throws StoreUnavailableException with a {@code retryAfter} when it waited in vain
     * @throws MisuseException SB-5005 when no transaction of this store is open on this thread
     */
    @Nullable
    MessageRecord findAndLock(RecordKey key);

    /**
     * Runs the action in a separate transaction, whatever transaction is open on this thread. Records whose key {@link
     * RecordKey#isApart} can be read and written in it whatever the open one has locked, and whoever waits for that; it waits no
     * longer than a few seconds for anything else.
     */
    <T> T apart(Supplier<T> action);

    /** The permission to handle one message. */
    @FunctionalInterface
    interface Turn extends AutoCloseable {

        /** Lets the next one in. Never throws. */
        @Override
        void close();
    }

    /** One open transaction, bound to the thread that began it. */
    interface LocalTransaction {

        /**
         * Makes all writes durable, including the application's own.
         *
         * @throws StoreUnavailableException when it is unknown whether the commit took effect
         * @throws RuntimeException when the transaction was rolled back instead, for example by a constraint that is checked at
         *     commit
         */
        void commit();

        /**
         * Undoes all writes; has no effect after {@link #commit}, however that ended. Never throws: if it fails, the database
         * rolls back when the connection ends.
         */
        void rollback();
    }
}
