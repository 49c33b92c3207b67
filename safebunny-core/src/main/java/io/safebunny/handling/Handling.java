// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.MessageContext.Step;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.handling.publications.HandledTransactions;
import io.safebunny.handling.publications.Publications;
import io.safebunny.handling.publications.TransactionEnd;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.FailureDetails;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.Trail;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message being handled by one engine on this thread: its attempt, its steps, and what has been published so far. The engine's
 * publications take correlation, causation and marker from it. Confined to one thread.
 */
public final class Handling implements Surrounding {

    private final CurrentHandling current;
    private final BooleanSupplier isDelivered;
    private final HandledTransactions transactions = new HandledTransactions();
    private final Publications publications = new Publications(transactions);
    private final TransactionEnd end;
    private final Steps steps;
    private final HandlingAttempts attempts;
    private Envelope message;
    private @Nullable Membership membership;
    private @Nullable OpenHandling open;
    private volatile boolean running;
    private Batch batch = Batch.NONE;
    private FailureDetails details = FailureDetails.FULL;
    /** What the record told before this delivery. */
    private Trail before = Trail.NONE;
    /** What it is to tell of this delivery. */
    private Trail ofThis = Trail.NONE;
    /** What it is to tell of both. */
    private Trail trail;

    public Handling(CurrentHandling current, Envelope message) {
        this(current, message, () -> true);
    }

    /** @param isDelivered whether the message is still ours to settle; when it is not, others may get it */
    public Handling(CurrentHandling current, Envelope message, BooleanSupplier isDelivered) {
        this.current = current;
        this.isDelivered = isDelivered;
        this.message = message;
        this.trail = Trail.of(message.type());
        this.end = new TransactionEnd(message, transactions);
        this.steps = new Steps(message);
        this.attempts = new HandlingAttempts(steps, publications, transactions, end);
    }

    @Override
    public Envelope message() {
        return message;
    }

    /** Whether the delivery is still open, so that nobody else gets the message. */
    public boolean isDelivered() {
        return isDelivered.getAsBoolean();
    }

    /** To be called before the message is claimed, if it belongs to a saga. */
    public void belongsTo(Membership saga) {
        membership = saga;
    }

    /** {@code null} when the message belongs to no saga. */
    public @Nullable Membership membership() {
        return membership;
    }

    /** Its turn among the messages with its order key; {@code null} if it is not to be handled in order. */
    public @Nullable LaneTurn turn() {
        return membership == null ? null : membership.turn();
    }

    /** Of the message's record. */
    public RecordKey key() {
        return Membership.keyOf(message, membership);
    }

    /** True for messages of sagas: a saga stores what it sends, so nothing may be sent before it is stored. */
    @Override
    public boolean collectsOnly() {
        return membership != null && membership.turn() == null;
    }

    /** Sets the attempt that the record counts; the header may differ. */
    public void setAttempt(int attempt) {
        message = message.atAttempt(attempt);
    }

    /** Discards everything collected, before the message runs again from the start. */
    public void startAgain() {
        attempts.startAgain();
    }

    /** How much is shown of its failures; all of them if nothing is said. */
    public Handling telling(FailureDetails of) {
        details = of;
        return this;
    }

    public FailureDetails details() {
        return details;
    }

    /** Results of its steps are stored as this says; {@code null} for in clear. */
    public Handling sealingSteps(@Nullable Sealing sealing) {
        if (sealing != null) {
            steps.seal(sealing);
        }
        return this;
    }

    /** From now on it must be said for which message something is published, and steps are refused. */
    public Handling forBatches() {
        batch = Batch.of(this);
        return this;
    }

    // ---- running

    /** @param first of its batch, in whose name the handler runs on this thread */
    void beginsWith(Handling first) {
        batch.isHandledWith(first);
        if (first == this) {
            transactions.begin(end);
        } else {
            transactions.shareThoseOf(first.transactions);
        }
        running = true;
    }

    void endsWithItsBatch() {
        running = false;
        handlerReturned();
    }

    /** Runs an action that handles this message, and perhaps others, with this one on the thread. */
    void runBound(Next action) throws Exception {
        Handling outer = current.begin(this);
        try {
            batch.guard(action);
        } finally {
            current.restore(outer);
        }
    }

    /** @throws RuntimeException it is not known whether a transaction in which it published is committed */
    void requireDecided() {
        publications.requireDecided(message.id());
    }

    /** Whether it is being handled on this thread. */
    public boolean isCurrent() {
        return current.get() == batch.bound(this);
    }

    /** What its handler must not do if it takes batches. */
    Batch batch() {
        return batch;
    }

    /** @throws InvalidPublicationException the handler takes batches, so that it would not be certain of which message this is part */
    public void requireOnlyMessage(Class<?> published) {
        batch.requireNamed(published);
    }

    /** Like {@link #run(HandlerStore, Next)}, but remembers steps only for the attempts of this delivery. */
    public void run(Next action) throws Exception {
        running = true;
        transactions.begin(end);
        try {
            runBound(action);
        } catch (Throwable failure) {
            steps.requireUndecided();
            throw failure;
        } finally {
            running = false;
            handlerReturned();
        }
        steps.requireUndecided();
        requireDecided();
    }

    /**
     * Runs the action as part of this handling, and then restores the thread's previous handling.
     *
     * @param store where steps are kept, and companions are read
     * @throws Exception the action's failure, unless a step is in doubt: see {@link Steps#requireUndecided()}
     */
    public void run(HandlerStore store, Next action) throws Exception {
        steps.keepIn(store);
        run(action);
    }

    /**
     * Runs the handler once. Only the last attempt counts: each new one first discards the publications and the transaction of
     * the one before, unless that was {@linkplain #undoAttempt undone} already, and resets the ordinals, so that the same code
     * publishes the same ids. Publications of a failed attempt are discarded at once.
     *
     * @throws Exception the handler's failure, unless a step is in doubt: see {@link Steps#requireUndecided()}
     */
    public void attempt(Next handler) throws Exception {
        attempts.run(() -> {
            try {
                batch.guard(handler);
            } finally {
                handlerReturned(); // other threads must not publish any more when publications are taken or discarded
            }
        });
    }

    /**
     * Undoes a failed attempt, so that what follows is not part of it.
     *
     * @throws RuntimeException the verdict with which the handling ends, whatever else happens
     */
    public void undoAttempt() {
        attempts.undo();
    }

    /** See {@link io.safebunny.MessageContext#once(String, Class, Step)}. */
    public <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        batch.requireNoSteps(name);
        end.requireNotBegun("A step of message %s is begun".formatted(message.id()), MisuseException.STEP);
        return steps.once(name, type, step);
    }

    // ---- what the message's record tells

    /** To be called when the message is claimed, with what its record tells; of this delivery perhaps, if the handler has committed that. */
    public void continues(Trail stored) {
        before = stored.without(ofThis.failures());
        tellsOfBoth();
    }

    /** Notes a failed attempt, to be written with the record when that is written next. */
    public void failed(Trail.Failure failure) {
        ofThis = ofThis.with(List.of(failure));
        tellsOfBoth();
    }

    /** In place of the failure noted last: the attempt is the same, and this is how it ended. */
    public void failedAfterAll(Trail.Failure failure) {
        List<Trail.Failure> known = ofThis.failures();
        ofThis = Trail.NONE.with(known.subList(0, known.size() - 1)).with(List.of(failure));
        tellsOfBoth();
    }

    private void tellsOfBoth() {
        trail = new Trail(message.type(), before.failures(), before.published(), before.omitted())
                .with(ofThis.failures());
    }

    /** What the record is to tell from its next write on: also of this delivery, and of each failure once, however often it is written. */
    public Trail trail() {
        return trail;
    }

    // ---- what is written with the message's record

    /**
     * A stored companion of the record, to be changed with {@link #join}; {@code null} if there is none.
     *
     * @throws io.safebunny.failure.policy.NotHandledException the store did not answer
     * @throws MisuseException SB-5005 when the message is not being handled, or handled messages are not remembered
     */
    public @Nullable MessageRecord companion(RecordKey key) {
        return steps.companion(key);
    }

    /**
     * Writes the record with the completion of the message. If another version was stored in the meantime, nothing is written and
     * the handler runs again. What a failed attempt joined is forgotten.
     *
     * @param record new, or derived from what {@link #companion} returned; takes the place of one with the same key
     */
    public void join(MessageRecord record) {
        attempts.join(record);
    }

    /** Runs the action, which must not throw, once what is joined has been written. What a failed attempt asked for is forgotten. */
    public void whenWritten(Runnable action) {
        attempts.whenWritten(action);
    }

    JointRecords joined() {
        return attempts.joined();
    }

    /**
     * Runs the end of the handling's transaction, and its listeners. What they publish is refused, unless they have a transaction of
     * their own, or the end is a {@linkplain TransactionEnd#commits commit}.
     */
    public <T extends @Nullable Object> T end(Supplier<T> transaction) {
        Handling outer = current.begin(this);
        end.rollsBack();
        try {
            return transaction.get();
        } finally {
            current.restore(outer);
        }
    }

    /** How the handling's own transaction ends, and what its listeners may do. */
    public TransactionEnd transactionEnd() {
        return end;
    }

    /** The transactions that are open while the message is handled. */
    public HandledTransactions transactions() {
        return transactions;
    }

    // ---- publications

    /** Whether the handler or a middleware around it is running. May be called by any thread. */
    boolean isRunning() {
        return running;
    }

    /**
     * The view of this handling for other threads. Created on the handler's thread, so that it belongs to this attempt and no
     * later one.
     */
    public OpenHandling open() {
        requirePublishing();
        OpenHandling known = open;
        if (known == null) {
            known = new OpenHandling(this, publications, steps::running);
            open = known;
        }
        return known;
    }

    /** Other threads must not publish for it any more. */
    public void handlerReturned() {
        if (open != null) {
            open.end();
            open = null;
        }
    }

    /** @throws InvalidPublicationException within a step, and while the transaction is rolled back */
    @Override
    public void requirePublishing() {
        batch.requireNotEnding(message);
        end.requirePublishing();
        String step = steps.running();
        if (step != null) {
            throw new InvalidPublicationException(
                    "Step [%s] publishes: an attempt that skips the step would not publish. Publish after the step, from its result."
                            .formatted(step));
        }
    }

    @Override
    public boolean isEnding() {
        return end.hasBegun();
    }

    /** Whether this thread is ending its transaction. */
    boolean isEndingHere() {
        return isCurrent() && batch.bound(this).end.hasBegun();
    }

    @Override
    public boolean leavesToItsTransaction() {
        return end.leavesToItsTransaction();
    }

    @Override
    public void collect(OutboundMessage publication) {
        if (end.hasBegun()) {
            end.collect(publication);
        } else {
            publications.add(publication);
        }
    }

    /** The collected publications, in the order of publishing. */
    public List<OutboundMessage> collected() {
        return publications.all();
    }

    /** Called when it is known what becomes of the publications of which nobody has been told yet. */
    public void ended(PublishOutcome outcome, @Nullable Throwable failure) {
        publications.ended(outcome, failure);
        end.tell(outcome, failure);
    }

    /** The next ordinal: 1 for the first publication of this type in this handling. */
    @Override
    public int nextOrdinal(String type) {
        return publications.nextOrdinal(type);
    }
}
