// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.Dispatch.Stop;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.handling.Handling;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.work.RecurringTask;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Handles a message at most once to completion: claim, run, complete with the collected publications, dispatch, mark
 * dispatched. A handler that fails releases its claim and publishes nothing. Thread-safe.
 *
 * <p>The claim is one conditional write, or, where the store shares a local transaction with the handler, the lock on an
 * uncommitted one.
 */
public final class Deduplication {

    private final DedupLog log;
    private final Claiming claiming;
    private final Claims claims;
    private final Marks marks;
    private final WaitingRecords waiting;
    private final Dispatch dispatch;
    private final RecurringTask sweeps;

    /** With a log of its own, which tells exceptions in full. */
    public Deduplication(
            MessageStore store,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Metrics metrics,
            DedupOptions options) {
        this(store, sender, timeline, blocking, metrics, new BoundedLog(timeline, ExceptionDetails.FULL), options);
    }

    /** @param blocking runs what waits for the store: renewals, marks, sweeps */
    public Deduplication(
            MessageStore store,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Metrics metrics,
            BoundedLog bounded,
            DedupOptions options) {
        this.log = new DedupLog(bounded);
        this.claiming = new Claiming(store, timeline, metrics, log, options);
        this.claims = store instanceof TransactionalMessageStore transactional
                ? new TransactionalClaims(transactional, timeline, log, claiming)
                : new LeasedClaims(store, timeline, blocking, metrics, log, options, claiming);
        this.marks = new Marks(store, timeline, blocking, log);
        this.waiting = new WaitingRecords(timeline);
        this.dispatch = new Dispatch(store, sender, timeline, marks, waiting, log);
        Sweeper sweeper = new Sweeper(store, timeline, options.lease(), dispatch, marks, waiting, log);
        this.sweeps = new RecurringTask("sweeping", options.lease(), sweeper::sweep, blocking, timeline);
        metrics.waitingForDispatch(waiting::count);
    }

    /** Knows what becomes of a message whose handling failed, and hears of what it did not decide itself. */
    @FunctionalInterface
    public interface Judge {

        /**
         * Asked once for a handling that failed: its record is released as this says. That stands also when the store does not answer
         * then; the next attempt says what the record could not.
         */
        RecoveryAction judge(Throwable failure);

        /** What was judged counts no more: another delivery has the message. */
        default void superseded(NotHandledException by) {}

        /** The completion is stored: whatever fails from now on, the message is not handled again. */
        default void completed() {}
    }

    /** Handles the message. */
    @FunctionalInterface
    public interface Action {
        void run(Handling handling) throws Exception;
    }

    /** Renews claims of handlers that run long, and sweeps, until {@link #stop}. */
    public void start() {
        claims.start();
        sweeps.start();
    }

    /** Handled messages whose publications the broker does not take. */
    public WaitingPublications waiting() {
        return waiting.summary();
    }

    /** Marks what is dispatched. Called when nothing is handled any more. */
    public void stop() {
        sweeps.stop();
        claims.stop();
        marks.flush();
    }

    /**
     * Runs the action unless the message was handled before.
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
        if (handled.state() == RecordState.COMPLETED) {
            dispatch(handled);
        }
    }

    /** @return the record of the handled message */
    private MessageRecord handle(MessageClaim claim, Handling handling, Judge judge, Action action) throws Exception {
        MessageRecord completed;
        try {
            claim.run(() -> handling.run(claim, () -> action.run(handling)));
            completed = claim.complete();
        } catch (Throwable failure) {
            release(claim, failure, judge);
            throw failure;
        }
        judge.completed();
        return completed;
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
        claiming.suppressed(handling.message());
        // dispatched, and the store will soon say so
        return marks.contains(record.key()) ? record.dispatched() : record;
    }

    /** What is refused waits in the record, and the sweeper goes on with it: the message is handled, whatever becomes of that. */
    private void dispatch(MessageRecord completed) {
        try {
            Stop stop = dispatch.send(completed);
            if (stop != null && stop.isInterrupted()) {
                throw NotHandledException.later(
                        "Interrupted while the publications of message %s were sent; they are sent again"
                                .formatted(completed.key().messageId()),
                        Duration.ZERO);
            }
            if (stop != null && stop.isUnconfirmed()) {
                throw unconfirmed(completed, stop.failure());
            }
        } catch (Error e) { // no memory, no thread
            throw unconfirmed(completed, e);
        }
    }

    private NotHandledException unconfirmed(MessageRecord completed, @Nullable Throwable failure) {
        log.unconfirmed(completed.key().messageId(), failure);
        return NotHandledException.trouble(
                "Publications of message %s are not confirmed; they are sent again"
                        .formatted(completed.key().messageId()),
                StoreFailures.COMES_BACK);
    }
}
