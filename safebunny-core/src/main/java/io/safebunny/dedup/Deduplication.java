// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.dedup.dispatch.Dispatching;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordState;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Handles a message at most once to completion: claim, run, complete with the collected publications, dispatch, mark dispatched.
 * A handler that fails releases its claim and publishes nothing. Thread-safe.
 *
 * <p>The claim is a conditional write, or, where the store shares a local transaction with the handler, the lock on an
 * uncommitted record.
 */
public final class Deduplication {

    private static final int MOST_LOSSES = 5;
    private static final Duration LOSERS_COME_BACK = Duration.ofMillis(200);

    private final Metrics metrics;
    private final DedupLog log;
    private final Claiming claiming;
    private final Claims claims;
    private final UndoFence fence;
    private final Dispatching dispatching;

    /** @param blocking runs tasks that wait for the store: renewals, marks, sweeps */
    public Deduplication(
            MessageStore store,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Metrics metrics,
            Events events,
            BoundedLog bounded,
            DedupOptions options) {
        this.metrics = metrics;
        this.log = new DedupLog(bounded);
        this.claiming = new Claiming(store, timeline, metrics, events, log, options);
        this.claims = store instanceof TransactionalMessageStore transactional
                ? new TransactionalClaims(transactional, timeline, log, claiming)
                : new LeasedClaims(store, timeline, blocking, metrics, log, options, claiming);
        this.fence = new UndoFence(store, timeline, log, claiming);
        this.dispatching = new Dispatching(
                store,
                sender,
                timeline,
                blocking,
                metrics,
                log,
                options.lease(),
                StoreFailures.COMES_BACK,
                options.retention());
    }

    /** Knows what becomes of a message whose handling failed, and hears of what it did not decide itself. */
    @FunctionalInterface
    public interface Judge {

        /**
         * Called once per failed handling; the record is released accordingly. The decision stands even if the store does not
         * answer then: the next attempt's header says what the record could not.
         */
        RecoveryAction judge(Throwable failure);

        /** Another delivery has the message, so the decision no longer counts. */
        default void superseded(NotHandledException by) {}

        /** The completion is stored: whatever fails from now on, the message is not handled again. */
        default void completed() {}
    }

    /** Runs the handler and whatever surrounds it. */
    @FunctionalInterface
    public interface Action {

        void run(Handling handling) throws Exception;

        /** Runs it once more, because what it {@linkplain JointRecords#join joined} was overtaken. */
        default void runAgain(Handling handling) throws Exception {
            run(handling);
        }
    }

    /** Starts renewing the claims of long-running handlers, and sweeping, until {@link #stop}. */
    public void start() {
        claims.start();
        dispatching.start();
    }

    /** Handled messages whose publications the broker does not accept. */
    public WaitingPublications waiting() {
        return dispatching.waiting();
    }

    /** Stops the background work and writes the pending marks. Call it when no message is being handled any more. */
    public void stop() {
        claims.stop();
        dispatching.stop();
    }

    /**
     * Runs the action unless the message was handled before, or was undone.
     *
     * @throws NotHandledException another delivery of the message is being handled, or the store did not answer
     * @throws InvalidMessageException the message must be set aside
     */
    public void run(Handling handling, Judge judge, Action action) throws Exception {
        MessageRecord handled;
        try (MessageClaim claim = claims.of(handling)) {
            MessageRecord record = claim.take();
            handled = record.state() == RecordState.CLAIMED
                    ? handle(claim, handling, judge, action)
                    : suppressed(handling, record);
        }
        // after the claim is closed: sending may take long, and must not hold the message's turn or renewals
        if (handled.state() == RecordState.COMPLETED) {
            dispatching.send(handled);
        }
    }

    /** @return the record of the handled message */
    private MessageRecord handle(MessageClaim claim, Handling handling, Judge judge, Action action) throws Exception {
        MessageRecord completed;
        handling.records().readFrom(claim);
        try {
            run(claim, handling, action, false);
            completed = claim.complete();
            for (int losses = 1; completed == null; losses++) {
                requirePatience(handling, losses);
                handling.startAgain();
                run(claim, handling, action, true);
                completed = claim.complete();
            }
        } catch (Throwable failure) {
            release(claim, failure, judge);
            throw failure;
        }
        judge.completed();
        handling.records().written();
        return completed;
    }

    private void run(MessageClaim claim, Handling handling, Action action, boolean again) throws Exception {
        claim.run(() -> handling.run(claim, () -> {
            fence.bar(handling);
            if (again) {
                action.runAgain(handling);
            } else {
                action.run(handling);
            }
        }));
    }

    /** Who loses a race runs again from what the winner has written; that costs no attempt. */
    private void requirePatience(Handling handling, int losses) {
        metrics.overtaken(handling.message().type());
        if (losses == MOST_LOSSES) {
            throw NotHandledException.later(
                    "What message %s changes was changed by other messages %s times while it was handled"
                            .formatted(handling.message().id(), losses),
                    LOSERS_COME_BACK);
        }
    }

    private void release(MessageClaim claim, Throwable failure, Judge judge) {
        try {
            claim.release(failure, judge.judge(failure));
        } catch (NotHandledException anothers) {
            judge.superseded(anothers);
            log.othersByNow(failure, anothers);
            anothers.addSuppressed(failure);
            throw anothers;
        }
    }

    private MessageRecord suppressed(Handling handling, MessageRecord record) {
        claiming.suppressed(handling.message(), record);
        // already dispatched; only the mark is still pending
        return dispatching.isSent(record.key()) ? record.dispatched() : record;
    }
}
