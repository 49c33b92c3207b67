// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.ThrottledException;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.Completion;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Overtaken;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claimed.Parked;
import io.safebunny.dedup.claim.Claimed.SetAside;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Run;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.rate.leasing.RateLimit;
import io.safebunny.saga.execution.Correlation;
import io.safebunny.saga.execution.SagaTurns;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a message, and decides how that ends: wait for the rate → admit → context → claim → run → complete, or end and release → send; read downwards.
 * Thread-safe.
 */
final class MessageHandling {

    private static final Logger LOG = LoggerFactory.getLogger(MessageHandling.class);

    /** How often a message runs again because others changed what it changes. */
    private static final int MOST_LOSSES = 5;

    private static final Duration LOSERS_COME_BACK = Duration.ofMillis(200);
    private static final Hold NO_TURN = () -> {};
    private static final Subject NEWER =
            Subject.warn(LOG, "Messages whose version this instance does not know come back each minute");
    private static final Subject FAILED_AFTER_THE_END =
            Subject.warn(LOG, "What follows the handling of messages failed");

    private final Node node;
    private final Claims claims;
    private final TypeBreaker breaker;
    private final @Nullable RateLimit rate;
    private final Recoverer recoverer;
    private final Survivors survivors;
    private final PropagatedContext contexts;
    private final @Nullable Correlation correlation;
    private final SagaTurns turns;
    private final LaneTurns lanes;
    private final HandlerStep step;
    private final ExpiredStep expired;
    private final Grouping grouping;
    private final AfterTheEnd failures;

    /** @param survivors of this queue */
    MessageHandling(
            ConsumePipelineFactory parts,
            HandlerDefinition handler,
            TypeBreaker breaker,
            Recoverer recoverer,
            Survivors survivors) {
        this.node = parts.node();
        this.claims = parts.claims();
        this.breaker = breaker;
        this.rate = parts.rates().of(handler, breaker);
        this.recoverer = recoverer;
        this.survivors = survivors;
        this.contexts = new PropagatedContext(node.parts().contextPropagators(), node.log());
        this.correlation = parts.correlation(handler);
        this.turns = new SagaTurns(parts.turns(), node.timeline(), handler.prefetch());
        this.lanes = new LaneTurns(handler, node, parts.wakes());
        this.step = new HandlerStep(
                parts.middlewares(Group.BEFORE),
                new HandlerRunner(handler, recoverer, node.timeline(), node.metrics(), rate),
                node.library());
        this.expired = new ExpiredStep(handler, step, recoverer, correlation);
        this.grouping = handler.grouping();
        this.failures = new AfterTheEnd(LOG, node.log(), FAILED_AFTER_THE_END);
    }

    Ending handle(HandledMessage message) {
        message.begins(node.timeline().nanoTime());
        try {
            lanes.enters(message);
            return admitted(message);
        } catch (Throwable failure) { // nothing is decided yet
            return recoverer.end(message, failure);
        }
    }

    /** Checks the delivery itself before it asks the breaker, which only counts what handlers do. */
    private Ending admitted(HandledMessage message) {
        Delivery delivery = message.delivery;
        Throwable refusal = delivery.refusal();
        if (refusal != null) {
            message.failed(refusal);
            return recoverer.end(message, refusal);
        }
        Returned copy =
                survivors.asFreshCopy(message.messageId(), delivery.message().deliveryCount());
        if (copy != null) {
            return copy;
        }
        SafeBunnyException unreadable = message.unreadable();
        if (unreadable instanceof SubjectErasedException erased) {
            recoverer.shreds(message, erased);
            return letIn(message);
        }
        if (unreadable != null) {
            message.failed(unreadable);
            return unread(message, unreadable);
        }
        return rate == null || breaker.isOpen() || message.isOverdue(node.timeline())
                ? letIn(message)
                : paced(message, rate);
    }

    /** Neither claims it nor asks its deadline: nobody here knows what it says. */
    private Ending unread(HandledMessage message, SafeBunnyException why) {
        if (!(why instanceof NotHandledException comesBack)) {
            return recoverer.end(message, why);
        }
        if (!comesBack.isTrouble()) {
            tellNewer(message);
        }
        return unbegun(message, comesBack);
    }

    private void tellNewer(HandledMessage message) {
        node.metrics().newer(message.type());
        node.log()
                .tell(
                        NEWER,
                        message.messageId(),
                        () -> LOG.warn(
                                "Message {} has a version that this instance does not know, and waits for an instance of a newer version of the application [type={}, version={}]. If there is none, deploy one whose @BunnyMessage(version) is at least that",
                                message.messageId(),
                                message.type(),
                                message.envelope().version()));
    }

    /** Waits until it may begin. */
    private Ending paced(HandledMessage message, RateLimit limit) {
        try {
            message.mayBegin(limit.await());
        } catch (NotHandledException e) {
            return unbegun(message, e);
        }
        if (!message.delivery.isOpen()) { // it is delivered again
            return Returned.because(NotHandledException.later(
                    "The delivery of message %s was lost while it waited".formatted(message.messageId()),
                    Duration.ZERO));
        }
        Ending ending = letIn(message);
        if (ending instanceof Failed failed && failed.failure() instanceof ThrottledException throttled) {
            limit.throttled(throttled.delay());
        }
        return ending;
    }

    /** If nobody can know when messages may begin, or nobody can read them, the type is paused. */
    private Ending unbegun(HandledMessage message, NotHandledException why) {
        Ending ending = recoverer.end(message, why);
        Admission admission = why.isTrouble() ? breaker.admit() : null;
        if (admission != null) {
            ended(admission, message, ending);
        }
        return ending;
    }

    private Ending letIn(HandledMessage message) {
        Admission admission = breaker.admit();
        if (admission == null) {
            return Returned.because(
                    NotHandledException.later("Type %s is paused".formatted(message.type()), Duration.ZERO));
        }
        Ending ending = inContext(message);
        ended(admission, message, ending);
        return ending;
    }

    void ended(Admission admission, HandledMessage message, Ending ending) {
        try {
            admission.ended(ending);
        } catch (Throwable e) {
            failures.failed("A circuit breaker failed when it was told how a message ended", message, e);
        }
    }

    /** Opens the application's context before a transaction begins, and closes it after the transaction has ended. */
    private Ending inContext(HandledMessage message) {
        Ending decided = null;
        try (PropagatedContext.Opened unused = contexts.open(message)) {
            if (correlation == null || message.unreadable() != null) { // nobody knows the saga of what cannot be read
                decided = handled(message, NO_TURN);
            } else {
                Membership saga = correlation.of(message.envelope(), message.payload());
                message.handling.belongsTo(saga);
                try (Hold turn = turns.take(saga.sagaId())) {
                    decided =
                            turn == null ? turns.comesBack(saga.sagaId(), message.messageId()) : handled(message, turn);
                }
            }
            return decided;
        } catch (Throwable failure) { // an Error of one message must not end the service
            if (decided == null) {
                return recoverer.end(message, failure);
            }
            failures.failed("The context or the turn of a message could not be closed", message, failure);
            return decided;
        }
    }

    /** @param turn given back at the completion, so that sending does not hold up the saga's next message */
    private Ending handled(HandledMessage message, Hold turn) {
        if (message.isOverdue(node.timeline())) { // before the claim, which writes what is noted
            recoverer.expires(message);
        }
        Claimed claimed = claims.claim(message.handling);
        if (claimed instanceof Busy busy) {
            return Returned.because(busy.why());
        }
        if (claimed instanceof SetAside setAside) {
            return setAside.ending();
        }
        if (claimed instanceof Done done) {
            return sent(done.record(), Ending.DUPLICATE);
        }
        if (claimed instanceof Parked) {
            return Ending.PARKED;
        }
        Written written;
        Ending ended;
        try (Claim claim = ((Ours) claimed).claim()) {
            Completion completion = run(message, claim, false);
            while (completion instanceof NotWritten failed) {
                Poisoned before = message.expired();
                Failed ending = recoverer.endOfRun(message, failed.failure());
                if (Objects.equals(message.expired(), before) || expired.isSetAside(message)) {
                    return released(claim, message, failed.failure(), ending);
                }
                completion = run(message, claim, true); // in place of the handler, which does not run again
            }
            written = (Written) completion;
            ended = expired.ended(message);
            message.endsAs(ended);
            turn.close();
            written.then().forEach(Runnable::run);
        }
        return sent(written.toSend(), ended);
    }

    /**
     * Runs the handler, or what takes its place; runs it again, at no cost of an attempt, if others changed meanwhile what it changes.
     *
     * @param isAnew whether something has run before within this claim
     */
    private Completion run(HandledMessage message, Claim claim, boolean isAnew) {
        try {
            if (isAnew) {
                message.startAgain();
            }
            long begun = node.timeline().nanoTime();
            message.begins(begun);
            Completion completion = runAndComplete(message, claim, isAnew ? anew(message) : () -> runOnce(message));
            for (int losses = 1; completion instanceof Overtaken; losses++) {
                node.metrics().overtaken(message.type());
                if (losses == MOST_LOSSES) {
                    return new NotWritten(NotHandledException.later(
                            "What message %s changes was changed by other messages %s times while it was handled"
                                    .formatted(message.messageId(), losses),
                            LOSERS_COME_BACK));
                }
                Membership saga = message.handling.membership();
                if (saga != null && saga.turn() == null) {
                    turns.letWinnerGoOn(saga.sagaId(), node.timeline().nanoTime() - begun, losses);
                }
                message.startAgain();
                begun = node.timeline().nanoTime();
                message.begins(begun);
                completion = runAndComplete(message, claim, anew(message));
            }
            return completion;
        } catch (Throwable failure) {
            return new NotWritten(failure);
        }
    }

    private Next anew(HandledMessage message) {
        return () -> node.parts().scope().runAnew(() -> runOnce(message));
    }

    private void runOnce(HandledMessage message) throws Exception {
        if (message.expired() == null) {
            step.run(message);
        } else {
            expired.run(message);
        }
    }

    private Completion runAndComplete(HandledMessage message, Claim claim, Next handler) {
        Run run = Run.of(message.handling, () -> {
            try (Hold unused = claim.enter()) {
                message.handling.run(claim, handler);
            }
        });
        return run.failure() == null ? claim.complete(run) : new NotWritten(run.failure());
    }

    /** The decision stands even if it cannot be recorded: then the header of the next attempt carries it. */
    private static Failed released(Claim claim, HandledMessage message, Throwable failure, Failed ending) {
        try {
            return claim.release(failure, ending);
        } catch (Throwable e) {
            LOG.debug(
                    "The claim of a message that failed could not be released",
                    message.handling.details().logged(e));
            return ending;
        }
    }

    private Ending sent(@Nullable MessageRecord record, Ending ending) {
        NotHandledException unsent = record == null ? null : claims.send(record);
        return unsent == null ? ending : Returned.because(unsent);
    }

    /** Has the lane of the message go on, if it waits by now for what is stored in it. */
    void wakeLane(HandledMessage message) {
        lanes.wake(message);
    }

    // ---- messages that are handled together

    /** Why messages of this handler cannot be handled together, and what to do, for the log; {@code null} if they can. */
    @Nullable
    String whyNotTogether() {
        if (!grouping.isBatch() && !claims.canShare()) {
            return "the store cannot do that. Use PostgreSQL with its own driver and a JdbcTransactionManager, or set it to 1";
        }
        return contexts.isEmpty()
                ? null
                : "a ContextPropagator may give each message another database, and is one for each. Remove that bean, or set messagesPerTransaction or batchSize to 1";
    }

    /** Whether messages may be handled together just now. */
    boolean admitsTogether() {
        return breaker.isClosed();
    }

    /** {@code null} if it is to be handled on its own. */
    @Nullable
    Admission admitTogether() {
        return breaker.admitUnlessProbing();
    }

    @Nullable
    SharedClaims claimTogether(List<Handling> messages) {
        return grouping.isBatch() ? claims.claimBatch(messages) : claims.claimTogether(messages);
    }

    /** @return why it leaves, to be handled on its own; {@code null} if it does not */
    @Nullable
    Throwable run(HandledMessage message, SharedClaims shared) {
        return shared.run(List.of(message.handling), () -> step.run(message));
    }

    /** Of one message of a batch. */
    HandlerStep step() {
        return step;
    }

    /**
     * What follows the commit of a message that is handled.
     *
     * @param sends whether what it has published is sent now; on its own it is a duplicate, whose record says what is to be sent
     */
    Ending committed(HandledMessage message, Written written, boolean sends, Admission admission) {
        message.endsAs(Ending.HANDLED);
        written.then().forEach(Runnable::run);
        MessageRecord record = written.toSend();
        if (!sends && record != null && record.state() == RecordState.COMPLETED) {
            return Returned.because(NotHandledException.later(
                    "Message %s is handled, and is left to its own delivery to be sent".formatted(message.messageId()),
                    Duration.ZERO));
        }
        Ending ending = sent(record, Ending.HANDLED);
        ended(admission, message, ending);
        return ending;
    }
}
