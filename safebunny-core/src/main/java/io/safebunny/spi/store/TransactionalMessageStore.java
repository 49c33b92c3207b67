// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

import io.safebunny.failure.MisuseException;
import java.util.function.Supplier;

/**
 * A store in the same database as the handlers' own writes: claim, writes and completion can share one local transaction.
 *
 * <p>Operations called between {@link #begin} and the end of the transaction, on the same thread, are part of it. Of concurrent
 * transactions that create one record, one goes on and the others wait, for a bounded time, for its outcome; when the time is up
 * {@code create} throws {@link StoreUnavailableException} with a {@code retryAfter}.
 *
 * <p>When {@link #writeTogether} was overtaken in a transaction, that transaction may only be rolled back: a commit changes nothing, and may
 * throw.
 */
public interface TransactionalMessageStore extends MessageStore {

    /**
     * Waits until one more message may be handled. A store whose connections are limited lets so many in at once that each may hold a
     * transaction and {@link #apart} still finds a connection; who comes first is let in first. The turn lasts from before {@link #begin}
     * until it is closed, however many transactions follow each other meanwhile.
     *
     * @return whose holder closes it, once, on any thread
     * @throws InterruptedException when interrupted while it waits; nothing is held then
     */
    default Turn awaitTurn() throws InterruptedException {
        return () -> {};
    }

    /**
     * Opens a transaction on this thread, which must have none.
     *
     * @throws MisuseException SB-5007 when it has one
     * @throws StoreUnavailableException when none can be opened
     */
    LocalTransaction begin();

    /** Runs the action in a transaction of its own, whatever transaction is open on this thread. */
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
         * Makes all writes durable, the application's own included.
         *
         * @throws StoreUnavailableException when it is unknown whether it took place
         * @throws RuntimeException when it did not: the transaction was rolled back, for example by a constraint that is checked
         *     at commit
         */
        void commit();

        /** Undoes all writes; without effect after {@link #commit}, however that ended. Never throws; what cannot be undone now is undone by the database when the connection ends. */
        void rollback();
    }
}
