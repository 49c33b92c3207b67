// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Bars a step before its undo runs: from then on no delivery, duplicate or replay of it is handled. Thread-safe.
 *
 * <p>That nothing is stored of a step does not prove that nothing was done: its record may have expired, been in another store, or
 * been rolled back with a transaction. So such a step is barred, too, and its undo runs and finds what there is to undo.
 */
public final class UndoFence {

    /** Of a step that was barred before it came: its type and body are not known. */
    private static final Fingerprint UNSEEN = new Fingerprint(Fingerprint.SHA256, 0, 0);

    private final MessageStore store;
    private final Ownership ownership;
    private final StoreFailures failures;
    private final LeaseWatch watch;

    public UndoFence(MessageStore store, Timeline timeline, DedupLog log, Ownership ownership) {
        this.store = store;
        this.ownership = ownership;
        this.failures = new StoreFailures(log);
        this.watch = new LeaseWatch(timeline);
    }

    /** Whether the record is of a step that was barred before it came, so that its fingerprint says nothing. */
    static boolean isUnseen(MessageRecord stored) {
        return stored.state() == RecordState.UNDONE && stored.fingerprint().equals(UNSEEN);
    }

    /**
     * Bars the step that the message undoes, if it is an undo. To be called after the undo was claimed, and before it is handled.
     *
     * @throws NotHandledException the step is being handled, or the store did not answer
     */
    public void bar(Handling undo) {
        String step = undo.message().undoes();
        if (step == null) {
            return;
        }
        RecordKey key = new RecordKey(undo.key().correlationId(), step);
        try {
            bar(undo, key);
        } catch (NotHandledException e) {
            throw e;
        } catch (RecordRefusedException e) {
            throw StoreFailures.refused(e);
        } catch (RuntimeException e) {
            throw unanswered(undo, e);
        }
    }

    /** Writes apart from the transaction of the undo: the step must stay barred while the undo runs, and if it fails. */
    private void bar(Handling undo, RecordKey key) {
        MessageRecord step = TransactionalMessageStore.apart(store, () -> store.find(key));
        if (step == null) {
            step = TransactionalMessageStore.apart(store, () -> store.create(unseen(key)));
        }
        switch (step.state()) {
            case COMPLETED, DISPATCHED, UNDONE -> {}
            case RELEASED, PARKED, POISONED -> mark(undo, step);
            case CLAIMED -> {
                requireSilent(undo, step);
                mark(undo, step);
            }
        }
    }

    private MessageRecord unseen(RecordKey key) {
        return new MessageRecord(
                key,
                RecordState.UNDONE,
                ownership.newOwner(),
                1,
                0,
                0,
                Duration.ZERO,
                UNSEEN,
                Map.of(),
                List.of(),
                null,
                null);
    }

    /** What its owner did before it fell silent is undone; should it wake up, its claim is lost. */
    private void requireSilent(Handling undo, MessageRecord step) {
        Duration remaining = watch.remaining(step);
        if (remaining.toNanos() > 0) {
            throw busy(undo, remaining);
        }
    }

    private void mark(Handling undo, MessageRecord step) {
        MessageRecord undone = step.nextContent(RecordState.UNDONE, ownership.newOwner(), null, Map.of())
                .next(RecordState.UNDONE, List.of()) // its bytes, if it waited in its lane
                .withVersion(step.version() + 1);
        if (TransactionalMessageStore.apart(store, () -> store.replace(undone)) == null) {
            throw busy(undo, Duration.ZERO);
        }
        watch.forget(step.key());
    }

    private NotHandledException busy(Handling undo, Duration remaining) {
        return NotHandledException.later(
                "Message %s is being handled, and %s waits to undo it"
                        .formatted(undo.message().undoes(), undo.message().id()),
                ownership.comeBack(remaining));
    }

    private RuntimeException unanswered(Handling undo, RuntimeException e) {
        if (store instanceof TransactionalMessageStore
                && e instanceof StoreUnavailableException unavailable
                && unavailable.retryAfter() != null) { // it waited in vain for the step's transaction
            return busy(undo, unavailable.retryAfter());
        }
        return failures.unread(undo.message().id(), e);
    }
}
