// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.Dispatch.Stop;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.handling.Handling;
import io.safebunny.handling.StepStore;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import io.safebunny.spi.store.TransactionalMessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.work.RecurringTask;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a message at most once to completion: claim, run, complete with the collected publications, dispatch, mark
 * dispatched. A handler that fails releases its claim and publishes nothing. Thread-safe.
 *
 * <p>The claim is one conditional write, or, where the store shares a local transaction with the handler, the lock on an
 * uncommitted one.
 */
public final class Deduplication {

    private static final Logger LOG = LoggerFactory.getLogger(Deduplication.class);

    /** A message of whose claims so many in a row fell silent is handled while nothing else is. */
    private static final int SUSPICIOUS = 3;

    private final MessageStore store;
    private final Timeline timeline;
    private final Metrics metrics;
    private final DedupOptions options;
    private final DedupLog log;
    private final Claiming claiming;
    private final Marks marks;
    private final WaitingRecords waiting;
    private final Dispatch dispatch;
    private final RecurringTask sweeps;
    private final Renewals renewals;
    private final ReentrantReadWriteLock alone = new ReentrantReadWriteLock();
    /** Somebody waited for as long as one waits: the others do not, until the next that must be handled alone is. */
    private volatile boolean crowded;

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
        this.store = store;
        this.timeline = timeline;
        this.metrics = metrics;
        this.options = options;
        this.log = new DedupLog(bounded);
        this.claiming = new Claiming(store, timeline, metrics, log, options);
        this.marks = new Marks(store, timeline, blocking, log);
        this.waiting = new WaitingRecords(timeline);
        this.dispatch = new Dispatch(store, sender, timeline, marks, waiting, log);
        Sweeper sweeper = new Sweeper(store, timeline, options.lease(), dispatch, marks, waiting, log);
        this.sweeps = new RecurringTask("sweeping", options.lease(), sweeper::sweep, blocking, timeline);
        this.renewals = new Renewals(timeline, blocking, options.lease(), log);
        metrics.waitingForDispatch(waiting::count);
    }

    /** Knows what becomes of a message whose handling failed. */
    @FunctionalInterface
    public interface Judge {

        /**
         * Asked once for a handling that failed: its record is released as this says. That stands also when the store does not answer
         * then; the next attempt says what the record could not.
         */
        RecoveryAction judge(Throwable failure);

        /** What was judged counts no more: another delivery has the message. */
        default void superseded(NotHandledException by) {}
    }

    /** Handles the message. */
    @FunctionalInterface
    public interface Action {
        void run(Handling handling) throws Exception;
    }

    /** Renews claims of handlers that run long, and sweeps, until {@link #stop}. */
    public void start() {
        renewals.start();
        sweeps.start();
    }

    /** Handled messages whose publications the broker does not take. */
    public WaitingPublications waiting() {
        return waiting.summary();
    }

    /** Marks what is dispatched. Called when nothing is handled any more. */
    public void stop() {
        sweeps.stop();
        renewals.stop();
        marks.flush();
    }

    /**
     * Runs the action unless the message was handled before.
     *
     * @throws NotHandledException another delivery of the message is being handled, or the store did not answer
     * @throws InvalidMessageException the message must be set aside
     */
    public void run(Handling handling, Judge judge, Action action) throws Exception {
        MessageRecord handled = store instanceof TransactionalMessageStore transactional
                ? InTurn.handle(
                        transactional, handling, () -> handleInTransaction(transactional, handling, judge, action))
                : handle(handling, judge, action);
        if (handled.state() == RecordState.COMPLETED) {
            dispatch(handled);
        }
    }

    // ---- the claim is a record

    /** @return the record of the handled message */
    private MessageRecord handle(Handling handling, Judge judge, Action action) throws Exception {
        long before = timeline.nanoTime();
        MessageRecord record = claimed(handling, () -> claiming.claim(handling, false));
        if (record.state() != RecordState.CLAIMED) {
            return suppressed(handling, record);
        }
        Claim claim = new Claim(store, timeline, log, record, before);
        renewals.add(claim);
        try {
            Runnable leave = enter(record);
            try {
                handling.run(claim, () -> action.run(handling));
            } finally {
                leave.run();
            }
            complete(claim, handling);
        } catch (Throwable failure) {
            if (release(claim, handling, judge.judge(failure)) || failure instanceof NotHandledException) {
                throw failure;
            }
            throw because(failure, claim.lost(), judge);
        } finally {
            renewals.remove(claim);
        }
        return claim.record();
    }

    /**
     * The innocent that are handled beside a message that ends the process would be suspected with it. Nobody waits for longer than a
     * lease, and then nobody else does: a handler that does not return must not stop the others.
     *
     * @return how to let the others go on
     */
    private Runnable enter(MessageRecord record) throws InterruptedException {
        boolean suspicious = record.takeovers() >= SUSPICIOUS;
        if (!suspicious && crowded) {
            return () -> {};
        }
        Lock lock = suspicious ? alone.writeLock() : alone.readLock();
        if (lock.tryLock(options.lease().toNanos(), TimeUnit.NANOSECONDS)) {
            if (suspicious) {
                crowded = false;
                LOG.warn(
                        "Handling message {} alone: {} claims of it in a row fell silent",
                        record.key().messageId(),
                        record.takeovers());
            }
            return lock::unlock;
        }
        crowded = true;
        if (suspicious) {
            throw NotHandledException.later(
                    "Message %s must be handled alone, and others take long"
                            .formatted(record.key().messageId()),
                    claiming.comeBack(options.lease()));
        }
        return () -> {};
    }

    private void complete(Claim claim, Handling handling) {
        boolean ours;
        try {
            ours = claim.writeSurely(claimed -> claimed.completed(handling.collected()));
        } catch (RecordRefusedException e) {
            throw Refused.because(e);
        } catch (NotHandledException e) {
            throw e;
        } catch (RuntimeException e) {
            throw NoAnswer.of(handling.message().id(), log, e);
        }
        if (!ours) {
            metrics.claimLost(handling.message().type());
            throw claim.lost();
        }
    }

    /** @return whether the message is still ours, as far as is known: if not, what becomes of it is another delivery's business */
    private boolean release(Claim claim, Handling handling, RecoveryAction next) {
        try {
            boolean ours = claim.write(claimed -> Claiming.released(claimed, next));
            Claiming.tell(handling, claim.record());
            return ours;
        } catch (RuntimeException e) {
            log.noAnswer(claim.record().key().messageId(), "its claim ends with its lease", e);
            return true;
        }
    }

    // ---- the claim is a transaction

    private MessageRecord handleInTransaction(
            TransactionalMessageStore transactional, Handling handling, Judge judge, Action action) throws Exception {
        ClaimingTransaction transaction = new ClaimingTransaction(transactional, claiming, log, handling);
        MessageRecord record = claimed(handling, transaction::begin);
        if (record.state() != RecordState.CLAIMED) {
            transaction.rollback();
            return suppressed(handling, record);
        }
        try {
            ApartSteps steps = new ApartSteps(transactional, timeline, log, record, transaction);
            handling.run(new StepsOf(handling, transaction, steps), () -> action.run(handling));
            return unlessDown(handling, () -> handling.end(() -> transaction.commit(handling.collected())));
        } catch (Throwable failure) {
            try {
                handling.end(() -> {
                    transaction.rollback(judge.judge(failure));
                    return record;
                });
            } catch (NotHandledException handled) {
                throw because(failure, handled, judge);
            }
            throw failure;
        }
    }

    private final class StepsOf implements StepStore {
        private final Handling handling;
        private final ClaimingTransaction transaction;
        private final ApartSteps steps;

        StepsOf(Handling handling, ClaimingTransaction transaction, ApartSteps steps) {
            this.handling = handling;
            this.transaction = transaction;
            this.steps = steps;
        }

        @Override
        public @Nullable String find(String name) {
            try {
                return steps.find(name);
            } catch (BrokenTransactionException | NotHandledException | InvalidMessageException e) {
                throw e; // of the first, an attempt in memory has a new transaction
            } catch (RuntimeException e) {
                throw NoAnswer.of(handling.message().id(), log, e);
            }
        }

        @Override
        public void store(String name, String json) {
            try {
                steps.store(name, json);
            } catch (NotHandledException e) {
                throw e;
            } catch (RecordRefusedException e) {
                throw Refused.step(name, e);
            } catch (RuntimeException e) {
                throw NoAnswer.of(handling.message().id(), log, e);
            }
        }

        @Override
        public void beginAgain() {
            MessageRecord unused = claimed(handling, transaction::beginAgain);
            steps.forget(); // another delivery may have had its turn in between
        }
    }

    // ---- both

    private NotHandledException because(Throwable failure, NotHandledException instead, Judge judge) {
        judge.superseded(instead);
        log.othersByNow(failure, instead);
        instead.addSuppressed(failure);
        return instead;
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
                NoAnswer.DELAY);
    }

    @FunctionalInterface
    private interface Question {
        MessageRecord ask();
    }

    /** Whatever a store throws, it did not answer. */
    private MessageRecord claimed(Handling handling, Question question) {
        try {
            MessageRecord record = question.ask();
            log.answered();
            return record;
        } catch (NotHandledException | InvalidMessageException e) {
            throw e;
        } catch (RecordRefusedException e) {
            throw Refused.because(e);
        } catch (RuntimeException e) {
            throw NoAnswer.of(handling.message().id(), log, e);
        }
    }

    /** What else is thrown at the end of a transaction is the handler's own failure. */
    private MessageRecord unlessDown(Handling handling, Question question) {
        try {
            return question.ask();
        } catch (RecordRefusedException e) {
            throw Refused.because(e);
        } catch (StoreUnavailableException e) {
            throw NoAnswer.of(handling.message().id(), log, e);
        }
    }
}
