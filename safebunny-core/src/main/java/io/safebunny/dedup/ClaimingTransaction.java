// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Handling;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.RecoveryAction.RecordEffect;
import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.spi.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.spi.store.UnreadableRecordException;
import io.safebunny.spi.transport.OutboundMessage;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a message's claim, the handler's own writes and the completion in one local transaction; each in-memory retry gets a new
 * one. While it is open, the uncommitted claim blocks every other delivery of the message. Confined to one thread.
 */
final class ClaimingTransaction {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimingTransaction.class);

    private final TransactionalMessageStore store;
    private final Claiming claiming;
    private final UnwrittenAttempts unwritten;
    private final DedupLog log;
    private final Handling handling;
    private @Nullable LocalTransaction transaction;
    private @Nullable MessageRecord claim;
    private boolean stepsAreAnothers;

    ClaimingTransaction(
            TransactionalMessageStore store,
            Claiming claiming,
            UnwrittenAttempts unwritten,
            DedupLog log,
            Handling handling) {
        this.store = store;
        this.claiming = claiming;
        this.unwritten = unwritten;
        this.log = log;
        this.handling = handling;
    }

    /** @return our claim, or the record of the completed or dispatched message; see {@link Claiming#claim} */
    MessageRecord begin() {
        try {
            boolean again = claim != null;
            if (!again && handling.message().attempt() > 0) {
                unwritten.count(handling);
            }
            transaction = store.begin();
            MessageRecord record = claiming.claim(handling, again);
            claim = record;
            return record;
        } catch (StoreUnavailableException e) {
            rollback();
            if (e.retryAfter() != null && isAnswered()) { // it waited in vain for another delivery's transaction
                throw NotHandledException.later(
                        "Another delivery of message %s is being handled"
                                .formatted(handling.message().id()),
                        e.retryAfter());
            }
            throw e;
        } catch (InvalidMessageException e) {
            commitOrRollback(); // claiming may have written that the message is poisoned
            throw e;
        } catch (Throwable e) {
            rollback();
            throw e;
        }
    }

    /**
     * Tells a claim blocked by another delivery from a database that is too slow for everything: a read does not wait for
     * anybody's transaction.
     */
    private boolean isAnswered() {
        try {
            MessageRecord unused = store.find(handling.records().key());
            return true;
        } catch (UnreadableRecordException e) {
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    /** For an in-memory retry: undoes what the failed attempt wrote, and claims again. */
    MessageRecord beginAgain() {
        rollback();
        MessageRecord record = begin();
        if (record.state() != RecordState.CLAIMED) {
            rollback();
            throw NotHandledException.later(
                    "Message %s was handled by another delivery between two attempts"
                            .formatted(handling.message().id()),
                    Duration.ZERO);
        }
        return record;
    }

    /**
     * @return the record as committed; {@code null} when what was joined was overtaken, and everything is rolled back
     * @throws StoreUnavailableException it is unknown whether it was committed
     * @throws RuntimeException it was not committed
     */
    @Nullable
    MessageRecord commit(List<OutboundMessage> outgoing) {
        LocalTransaction open = requireOpen();
        MessageRecord completed = complete(requireClaim().completed(outgoing));
        if (completed == null) {
            rollback();
            return null;
        }
        transaction = null;
        try {
            open.commit();
        } catch (RuntimeException e) {
            open.rollback(); // no effect if the commit has already ended it
            if (e instanceof StoreUnavailableException || !isStored(completed, e)) {
                throw e;
            }
            String id = handling.message().id();
            log.tell(
                    Kind.warn(LOG, "Callbacks after commits failed"),
                    id,
                    () -> LOG.warn(
                            "Message {} is handled and committed, but a callback after the commit failed",
                            id,
                            log.tellable(e)));
        }
        return completed;
    }

    /** Some transaction managers report a failure after the commit as if the commit itself had failed. */
    private boolean isStored(MessageRecord completed, RuntimeException failure) {
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

    private @Nullable MessageRecord complete(MessageRecord intended) {
        JointWrite result;
        try {
            result = RecordWrites.replace(store, intended, handling.records().joined());
        } catch (RecordRefusedException e) {
            throw e;
        } catch (RuntimeException e) {
            rollback();
            requireNoVainWait(e);
            MessageRecord unused = store.find(intended.key()); // throws when it is the store that does not answer
            throw unusable("cannot be completed", e);
        }
        if (result instanceof JointWrite.Written written) {
            return written.records().get(0);
        }
        if (result instanceof JointWrite.Overtaken overtaken && !overtaken.key().equals(intended.key())) {
            return null;
        }
        throw claimIsGone();
    }

    /** What is joined may be locked by another message's transaction; our own record is not, for we hold its lock. */
    private void requireNoVainWait(RuntimeException failure) {
        if (!handling.records().joined().isEmpty()
                && failure instanceof StoreUnavailableException e
                && e.retryAfter() != null
                && isAnswered()) {
            throw NotHandledException.later(
                    "Message %s waited in vain for what it changes, which another message changes too"
                            .formatted(handling.message().id()),
                    e.retryAfter());
        }
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
            // apart: after a statement that was cancelled, the transaction can do no more
            if (e.retryAfter() != null && store.apart(this::isAnswered)) {
                throw NotHandledException.later(
                        "Message %s waited in vain for %s, which another message changes"
                                .formatted(handling.message().id(), key.messageId()),
                        e.retryAfter());
            }
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
        MessageRecord ours = requireClaim();
        MessageRecord held;
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

    /**
     * @throws InvalidMessageException the steps belong to another message with this id; that message's records stand, so nothing
     *     is written about this one
     */
    void requireStepsAreOurs(MessageRecord steps) {
        stepsAreAnothers = true; // until proved otherwise
        IdCollision.requireNone(handling.message(), steps);
        stepsAreAnothers = false;
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

    private BrokenTransactionException unusable(String what, RuntimeException cause) {
        return new BrokenTransactionException(
                "The transaction in which message %s is handled %s: a statement of the handler failed and the handler went on, or the database ended the transaction because the handler took long. Let the exception out, use a savepoint, or raise the database's time limits."
                        .formatted(handling.message().id(), what),
                cause);
    }

    private BrokenTransactionException claimIsGone() {
        return new BrokenTransactionException(
                "The claim of message %s is gone from its own transaction: did the handler commit, roll back or delete it, or go on after the database had rolled back?"
                        .formatted(handling.message().id()),
                null);
    }

    private void commitOrRollback() {
        LocalTransaction open = requireOpen();
        transaction = null;
        try {
            open.commit();
        } catch (RuntimeException e) {
            log.noAnswer(handling.message().id(), "could not record that it is poisoned", e);
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
     * @throws NotHandledException another delivery has handled the message: ours is a duplicate
     */
    void rollback(RecoveryAction next) {
        rollback();
        MessageRecord claimed = claim;
        if (claimed == null
                || (claimed.version() == 1 && (stepsAreAnothers || next.record() == RecordEffect.RELEASED))) {
            return;
        }
        MessageRecord released = Claiming.released(claimed, next).withVersion(claimed.version());
        MessageRecord stored;
        try {
            stored = next.record() == RecordEffect.POISONED ? setAside(released) : write(released);
            if (stored == null) { // the record is no longer ours
                stored = store.find(released.key());
            }
        } catch (RuntimeException e) {
            log.noAnswer(handling.message().id(), "could not record how its handling ended", e);
            return;
        }
        if (stored == null) {
            return;
        }
        Claiming.keepPoisonVersion(handling, stored);
        if (stored.state() == RecordState.POISONED && !stored.owner().equals(claimed.owner())) {
            handling.setAsideByAnother();
        }
        switch (stored.state()) {
            case COMPLETED, DISPATCHED, UNDONE ->
                throw NotHandledException.later(
                        "The handling of message %s failed, and another delivery has handled it meanwhile, or its undo has"
                                .formatted(handling.message().id()),
                        Duration.ZERO);
            case CLAIMED, RELEASED, POISONED -> {}
        }
    }

    /** The stored one: ours or another's; {@code null} when it is no longer ours. */
    private @Nullable MessageRecord write(MessageRecord released) {
        return JointWrite.isCreated(released) ? store.create(released) : store.replace(released);
    }

    /** Together with what depends on it, which others may change meanwhile. */
    private @Nullable MessageRecord setAside(MessageRecord poisoned) {
        SetAsideWrites together = new SetAsideWrites(handling.records(), store::find);
        do {
            List<MessageRecord> companions = together.read();
            if (companions.isEmpty()) {
                return write(poisoned);
            }
            // no transaction is open, so it is one of its own
            JointWrite result = RecordWrites.together(store, poisoned, companions);
            if (result instanceof JointWrite.Written written) {
                return written.records().get(0);
            }
            if (result instanceof JointWrite.Overtaken overtaken
                    && overtaken.key().equals(poisoned.key())) {
                return null;
            }
        } while (together.mayTryAgain());
        throw together.overtakenTooOften();
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
