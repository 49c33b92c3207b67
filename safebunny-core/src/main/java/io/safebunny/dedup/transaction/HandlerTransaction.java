// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.Attempts;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claimed.SetAside;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.claim.RecordRules;
import io.safebunny.dedup.claim.RecordWrites;
import io.safebunny.dedup.claim.StoreFailures;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.dedup.transaction.WriteAfterRollback.Commit;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.RecordEffect;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.PoisonRecord;
import io.safebunny.handling.Handling;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.JointWrite;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a message's claim, the handler's own writes and the completion in one local transaction; each in-memory retry gets a new
 * one. While it is open, the uncommitted claim blocks every other delivery of the message. Confined to one thread.
 */
final class HandlerTransaction {

    private final TransactionalMessageStore store;
    private final Ownership ownership;
    private final TransactionDiagnosis diagnosis;
    private final WriteAfterRollback afterRollback;
    private final Attempts attempts;
    private final DedupLog log;
    private final Handling handling;
    private @Nullable LocalTransaction transaction;
    private @Nullable MessageRecord claim;
    private boolean stepsAreAnothers;
    private Commit commit = Commit.NOT_TRIED;
    /** What was found stored of the message that says that it is set aside. */
    private PoisonRecord known = PoisonRecord.NONE;

    HandlerTransaction(
            TransactionalMessageStore store, Ownership ownership, Attempts attempts, DedupLog log, Handling handling) {
        this.store = store;
        this.ownership = ownership;
        this.diagnosis = new TransactionDiagnosis(store, handling);
        this.afterRollback = new WriteAfterRollback(store, log, handling);
        this.attempts = attempts;
        this.log = log;
        this.handling = handling;
    }

    /**
     * @param ours makes our claim from its record
     * @throws RuntimeException of the store
     */
    Claimed begin(Function<MessageRecord, Claim> ours) {
        Claimed claimed;
        try {
            if (claim == null && handling.message().attempt() > 0) {
                attempts.countUnwritten(handling, store, ownership);
            }
            transaction = store.begin();
            claimed = ownership.claim(handling, claim, record -> {
                claim = record;
                return ours.apply(record);
            });
        } catch (StoreUnavailableException e) {
            rollback();
            diagnosis.requireNoVainWait(
                    e,
                    "Another delivery of message %s is being handled"
                            .formatted(handling.message().id()));
            throw e;
        } catch (Throwable e) {
            rollback();
            throw e;
        }
        if (claimed instanceof SetAside) {
            commitOrRollback(); // claiming may have written that the message is poisoned
        } else if (!(claimed instanceof Ours)) {
            rollback();
        }
        return claimed;
    }

    /**
     * For an in-memory retry, which the handler's code may stand around.
     *
     * @throws RuntimeException the message is not ours any more
     */
    void requireOurs(Claimed again) {
        if (again instanceof SetAside setAside) {
            known = known.and(setAside.ending().stored());
            throw (InvalidMessageException) setAside.ending().failure();
        }
        if (again instanceof Busy busy) {
            throw busy.why();
        }
        if (again instanceof Done) {
            throw NotHandledException.later(
                    "Message %s was handled by another delivery between two attempts"
                            .formatted(handling.message().id()),
                    Duration.ZERO);
        }
    }

    /**
     * @return the record as committed, with what listeners of the commit have published; {@code null} when what was joined was overtaken, and everything is rolled back
     * @throws StoreUnavailableException it is unknown whether it was committed
     * @throws RuntimeException it was not committed
     */
    @Nullable
    MessageRecord commit(List<OutboundMessage> outgoing, List<MessageRecord> joined) {
        LocalTransaction open = requireOpen();
        MessageRecord claimed = requireClaim();
        LaneTurn turn = handling.turn();
        List<MessageRecord> together = turn == null
                ? joined
                : Stream.concat(joined.stream(), turn.whenHandled(this::findAndLock, claimed.owner()).stream())
                        .toList();
        boolean isWritten = claimed.state() == RecordState.DISPATCHED && outgoing.isEmpty() && together.isEmpty();
        if (isWritten && !open.isKnownToBeOpen()) {
            requireClaimIsHeld();
        }
        MessageRecord completed = isWritten ? claimed : complete(claimed.completed(outgoing), together);
        if (completed == null) {
            rollback();
            return null;
        }
        transaction = null;
        commit = Commit.TRIED;
        LatePublications late = new LatePublications(store, completed);
        handling.transactionEnd().commits(late::add);
        try {
            open.commit();
        } catch (RuntimeException e) {
            open.rollback(); // no effect if the commit has already ended it
            if (e instanceof StoreUnavailableException && isWritten) {
                commit = Commit.IN_DOUBT;
                throw diagnosis.notCommitted(completed, e);
            }
            if (e instanceof StoreUnavailableException || !diagnosis.isStored(completed, e)) {
                throw e;
            }
            TransactionalClaims.tellFailedCallback(log, handling, e);
        }
        if (turn != null) {
            turn.isWritten();
        }
        return late.record();
    }

    private @Nullable MessageRecord complete(MessageRecord intended, List<MessageRecord> joined) {
        JointWrite result;
        try {
            result = RecordWrites.write(store, intended, joined);
        } catch (RecordRefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            rollback();
            if (!joined.isEmpty()) { // our own record is not waited for: we hold its lock
                diagnosis.requireNoVainWait(
                        e,
                        "Message %s waited in vain for what it changes, which another message changes too"
                                .formatted(handling.message().id()));
            }
            MessageRecord unused = store.find(intended.key()); // throws when it is the store that does not answer
            throw diagnosis.unusable("cannot be completed", e);
        }
        if (result instanceof JointWrite.Written written) {
            return written.records().get(0);
        }
        if (RecordWrites.isCompanionOvertaken(result, intended.key())) {
            return null;
        }
        throw diagnosis.claimIsGone();
    }

    /**
     * A companion that from now on belongs to the transaction.
     *
     * @throws BrokenTransactionException the transaction is unusable
     * @throws RuntimeException the store does not answer, or waited in vain for another's transaction
     */
    @Nullable
    MessageRecord findAndLock(RecordKey key) {
        try {
            return store.findAndLock(key);
        } catch (StoreUnavailableException e) {
            diagnosis.requireNoVainWaitInside(
                    e,
                    "Message %s waited in vain for %s, which another message changes"
                            .formatted(handling.message().id(), key.messageId()));
            requireClaimIsHeld(); // throws when the handler has broken the transaction
            throw e;
        }
    }

    /**
     * Called before a step: the database may have ended the transaction unnoticed, and another delivery may have claimed the
     * message since.
     *
     * @throws BrokenTransactionException the transaction is unusable; that costs an attempt, because the handler may have caused
     *     it
     * @throws NotHandledException another delivery has the message
     * @throws RuntimeException the store does not answer
     */
    void requireClaimIsHeld() {
        diagnosis.requireHeld(requireClaim());
    }

    /**
     * @throws InvalidMessageException the steps belong to another message with this id; that message's records stand, so nothing
     *     is written about this one
     */
    void requireStepsAreOurs(MessageRecord steps) {
        stepsAreAnothers = true; // until proved otherwise
        RecordRules.requireSameMessage(handling.message(), steps);
        stepsAreAnothers = false;
    }

    private void commitOrRollback() {
        LocalTransaction open = requireOpen();
        transaction = null;
        try {
            open.commit();
        } catch (RuntimeException e) {
            log.noAnswer(handling.message().id(), "could not record that it is poisoned", e, handling.details());
        }
    }

    void rollback() {
        LocalTransaction open = transaction;
        transaction = null;
        if (open != null) {
            open.rollback();
        }
    }

    /**
     * Undoes everything, and then records the state of the message in a write of its own.
     *
     * @return the ending, with what is stored of it
     * @throws NotHandledException another delivery has handled the message: ours is a duplicate
     */
    Failed rollback(Failed ending) {
        rollback();
        MessageRecord claimed = claim;
        if (claimed != null
                && (claimed.version() > 1 || !(stepsAreAnothers || ending.record() == RecordEffect.RELEASED))) {
            try {
                known = known.and(afterRollback.write(claimed, ending, commit));
            } catch (RecordRefusedException e) {
                Poisoned refused = StoreFailures.notKept(e, ending.failure());
                return refused.storedAs(known.and(afterRollback.write(claimed, refused, commit)));
            }
        } else if (claimed != null
                && claimed.state() == RecordState.DISPATCHED
                && commit == Commit.NOT_TRIED
                && !isTrouble(ending.failure())) {
            afterRollback.undoCommitted(claimed);
        }
        return ending instanceof Poisoned poisoned ? poisoned.storedAs(known) : ending;
    }

    /** Whether the store just did not answer, so that asking it again would only hold up the thread. */
    private static boolean isTrouble(Throwable failure) {
        return failure instanceof NotHandledException notHandled && notHandled.isTrouble();
    }

    private LocalTransaction requireOpen() {
        if (transaction == null) {
            throw new IllegalStateException("No transaction is open");
        }
        return transaction;
    }

    private MessageRecord requireClaim() {
        if (claim == null) {
            throw new IllegalStateException("Nothing is claimed");
        }
        return claim;
    }
}
