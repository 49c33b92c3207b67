// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling.publications;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The Spring transactions in which a handling collects: the one that belongs to the message, if its store shares it with the handler,
 * and those that the application opens, on any thread. Thread-safe.
 */
public final class HandledTransactions {

    /** Whether the handling has a transaction of its own; used by its thread only. */
    private boolean adopts;
    /** Those of the message that stands for all of a batch; itself otherwise. */
    private HandledTransactions ofBatch = this;

    /** To be called before this message is handled with others in one call. */
    public void shareThoseOf(HandledTransactions other) {
        ofBatch = other;
    }

    /** Whether a transaction is open on this thread, whoever has begun it. */
    public boolean isInOne() {
        return isActive();
    }

    /** Undoes a change if the transaction that is open on this thread is rolled back, wholly or to a savepoint. Must not throw. */
    public void onRollback(Runnable undo) {
        TransactionShare share = current();
        if (share != null) {
            share.onRollback(undo);
        }
    }

    /**
     * Called as the handling begins: a transaction that is open by now is the handling's own, and so are those that take its place.
     *
     * @param end hears whether it was committed, before the application's listeners do
     */
    public void begin(TransactionEnd end) {
        adopts |= isActive();
        adopt(end);
    }

    /** Called when another transaction has taken the place of the handling's own. */
    public void adopt(TransactionEnd end) {
        if (adopts && isActive() && find() == null) {
            register(new TransactionShare(this, true, end::ended));
        }
    }

    /** From now on, whoever suspends the transaction that is open on this thread, as by REQUIRES_NEW, gets what the refusal throws. */
    public static void refuseSuspension(Runnable refusal) {
        if (isActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                /** Before others, for which nothing has happened then. */
                @Override
                public int getOrder() {
                    return Ordered.HIGHEST_PRECEDENCE;
                }

                @Override
                public void suspend() {
                    refusal.run();
                }
            });
        }
    }

    /** How many others than handlings listen to the end of the transaction that is open on this thread. */
    public static int countListeners() {
        int count = 0;
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                count += each instanceof TransactionShare ? 0 : 1;
            }
        }
        return count;
    }

    /** Called right before the commit of the transaction that is open on this thread: what throws prevents it, after all other listeners. */
    void lastBeforeCommit(Runnable check) {
        if (isActive()) {
            // of the lowest precedence, and the last to be registered
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    check.run();
                }
            });
        }
    }

    /** That of the transaction open on this thread; {@code null} if none is. */
    @Nullable
    TransactionShare current() {
        if (!isActive()) {
            return null;
        }
        TransactionShare known = find();
        return known == null ? register(new TransactionShare(ofBatch, false, committed -> {})) : known;
    }

    /** Whether a transaction is open on this thread that the application began, not the handling. */
    boolean isInAnother() {
        if (!isActive()) {
            return false;
        }
        TransactionShare known = find();
        return known == null || !known.isOwn();
    }

    /** While the listeners of its end are told, a transaction still looks open, and is not. */
    private static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    private @Nullable TransactionShare find() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof TransactionShare share && share.isOf(ofBatch)) {
                return share;
            }
        }
        return null;
    }

    private static TransactionShare register(TransactionShare share) {
        TransactionSynchronizationManager.registerSynchronization(share);
        return share;
    }
}
