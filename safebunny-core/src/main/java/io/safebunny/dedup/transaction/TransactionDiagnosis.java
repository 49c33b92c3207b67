// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells why the transaction in which a message is handled cannot go on: it is broken, another delivery has the message, it waited for
 * another transaction, or the store does not answer. Only asks. Confined to one thread.
 */
final class TransactionDiagnosis {

    private final TransactionalMessageStore store;
    private final Handling handling;

    TransactionDiagnosis(TransactionalMessageStore store, Handling handling) {
        this.store = store;
        this.handling = handling;
    }

    /**
     * After a rollback.
     *
     * @param what happened
     * @throws NotHandledException the failure was no more than a wait for another transaction
     */
    void requireNoVainWait(RuntimeException failure, String what) {
        requireNoVainWait(failure, what, this::isAnswered);
    }

    /** Like {@link #requireNoVainWait}, in the transaction, which can do no more after a statement that was cancelled. */
    void requireNoVainWaitInside(RuntimeException failure, String what) {
        requireNoVainWait(failure, what, () -> store.apart(this::isAnswered));
    }

    private void requireNoVainWait(RuntimeException failure, String what, BooleanSupplier isAnswered) {
        if (failure instanceof StoreUnavailableException e && e.retryAfter() != null && isAnswered.getAsBoolean()) {
            throw NotHandledException.later(what, e.retryAfter());
        }
    }

    /**
     * Tells a wait for another transaction from a database that is too slow for everything: a read does not wait for anybody's
     * transaction.
     */
    boolean isAnswered() {
        try {
            MessageRecord unused = store.find(handling.key());
            return true;
        } catch (UnreadableRecordException e) {
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    /**
     * Why a message is not handled whose transaction was committed without a write of ours just before, which would have found out whether
     * the transaction was usable.
     *
     * @param unknown the failure of the commit
     * @throws RuntimeException the store does not answer
     */
    RuntimeException notCommitted(MessageRecord completed, RuntimeException unknown) {
        MessageRecord stored = store.find(completed.key());
        return stored != null && stored.owner().equals(completed.owner())
                ? unknown
                : unusable("could not be committed", unknown);
    }

    /** Some transaction managers report a failure after the commit as if the commit itself had failed. */
    boolean isStored(MessageRecord completed, Throwable failure) {
        try {
            MessageRecord stored = store.find(completed.key());
            return stored != null
                    && stored.owner().equals(completed.owner())
                    && stored.version() >= completed.version()
                    && (stored.state() == completed.state() || stored.state() == RecordState.DISPATCHED);
        } catch (RuntimeException unanswered) {
            failure.addSuppressed(unanswered);
            return false;
        }
    }

    /**
     * In the transaction.
     *
     * @throws BrokenTransactionException it is unusable, or has lost our claim
     * @throws NotHandledException another delivery has the message
     * @throws RuntimeException the store does not answer
     */
    void requireHeld(MessageRecord ours) {
        @Nullable MessageRecord held;
        try {
            held = store.find(ours.key());
        } catch (RuntimeException e) {
            requireNoOtherClaim(ours); // throws when it is the store that does not answer
            throw unusable("can do no more", e);
        }
        if (held == null || held.version() != ours.version() || !held.owner().equals(ours.owner())) {
            requireNoOtherClaim(ours);
            throw claimIsGone();
        }
    }

    private void requireNoOtherClaim(MessageRecord ours) {
        MessageRecord stored = store.apart(() -> store.find(ours.key()));
        if (stored != null
                && stored.version() >= ours.version()
                && !stored.owner().equals(ours.owner())) {
            throw NotHandledException.later(
                    "The database ended the transaction of message %s, and another delivery has it now"
                            .formatted(handling.message().id()),
                    Duration.ZERO);
        }
    }

    BrokenTransactionException unusable(String what, RuntimeException cause) {
        return new BrokenTransactionException(
                "The transaction in which message %s is handled %s: a statement of the handler failed and the handler went on, or the database ended the transaction because the handler took long. Let the exception out, use a savepoint, or raise the database's time limits."
                        .formatted(handling.message().id(), what),
                cause);
    }

    BrokenTransactionException claimIsGone() {
        return new BrokenTransactionException(
                "The claim of message %s is gone from its own transaction: did the handler commit, roll back or delete it, or go on after the database had rolled back?"
                        .formatted(handling.message().id()),
                null);
    }
}
