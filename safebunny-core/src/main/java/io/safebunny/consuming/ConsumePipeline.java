// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.observation.Observation;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.dedup.Claim;
import io.safebunny.dedup.Claim.Completion;
import io.safebunny.dedup.Claim.NotWritten;
import io.safebunny.dedup.Claim.Overtaken;
import io.safebunny.dedup.Claim.Written;
import io.safebunny.dedup.Claimed;
import io.safebunny.dedup.Claimed.Busy;
import io.safebunny.dedup.Claimed.Done;
import io.safebunny.dedup.Claimed.Ours;
import io.safebunny.dedup.Claimed.SetAside;
import io.safebunny.dedup.Claims;
import io.safebunny.dedup.Deduplication;
import io.safebunny.dedup.NotRemembered;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Membership;
import io.safebunny.handling.Pipeline;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Middleware;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.MessageMeters;
import io.safebunny.observation.Observations;
import io.safebunny.recovery.Ending;
import io.safebunny.recovery.Ending.Failed;
import io.safebunny.recovery.Ending.Returned;
import io.safebunny.recovery.Evidence;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.recovery.Treatment.FreshCopy;
import io.safebunny.saga.running.Correlation;
import io.safebunny.store.MessageRecord;
import io.safebunny.transport.Delivery;
import io.safebunny.waiting.Turns.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One queue's deliveries: check → admit → claim → run → end → close → carry out, read downwards; {@link DeliverySettler} settles.
 * Thread-safe.
 */
final class ConsumePipeline implements DeliverySettler.Processing {

    private static final Logger LOG = LoggerFactory.getLogger(ConsumePipeline.class);

    /** Whoever loses a race runs again from what the winner has written, that often. */
    private static final int MOST_LOSSES = 5;

    private static final Duration LOSERS_COME_BACK = Duration.ofMillis(200);
    private static final Hold NO_TURN = () -> {};
    private static final Subject FAILED_AFTER_THE_END =
            Subject.warn(LOG, "What follows the handling of messages failed");

    private final ConsumePipelineFactory parts;
    private final HandlerDefinition handler;
    private final TypeBreaker breaker;
    private final MessageValidator validator;
    private final PoisonQueue poisonQueue;
    private final Recoverer recoverer;
    private final Survivors survivors;
    private final QuarantinePolicy quarantine;
    private final PropagatedContext contexts;
    private final @Nullable Correlation correlation;
    private final SagaTurns turns;
    private final Claims claims;
    private final Pipeline<HandledMessage> beforeGroup;
    private final AfterGroup afterGroup;
    private final AfterTheEnd failures;
    private final UndoAcknowledgement undone;
    private final MessageMeters meters;

    /** @param survivors of this queue */
    ConsumePipeline(
            ConsumePipelineFactory parts,
            HandlerDefinition handler,
            TypeBreaker breaker,
            MessageValidator validator,
            PoisonQueue poisonQueue,
            Recoverer recoverer,
            HandlerRunner runner,
            Survivors survivors) {
        this.parts = parts;
        this.handler = handler;
        this.breaker = breaker;
        this.validator = validator;
        this.poisonQueue = poisonQueue;
        this.recoverer = recoverer;
        this.survivors = survivors;
        this.quarantine = new QuarantinePolicy(parts.options().deliveryLimit(), QuarantinePolicy.PATIENCE);
        this.contexts = new PropagatedContext(parts.propagators(), parts.log());
        this.correlation = parts.correlations().apply(handler);
        this.turns = new SagaTurns(parts.turns(), parts.timeline(), handler.prefetch());
        Deduplication deduplication = parts.deduplication();
        this.claims = deduplication == null ? new NotRemembered(parts.sender()) : deduplication;
        List<Middleware<? super HandledMessage>> steps = new ArrayList<>(of(parts.middlewares(), Group.BEFORE));
        HandlerStep innermost = new HandlerStep(runner, !steps.isEmpty());
        steps.add((message, next) -> innermost.run(message));
        this.beforeGroup = new Pipeline<>(steps);
        this.afterGroup = new AfterGroup(
                of(parts.middlewares(), Group.AFTER),
                parts.log(),
                Names.address(parts.options().node(), handler.type()));
        this.failures = new AfterTheEnd(LOG, parts.log(), FAILED_AFTER_THE_END);
        this.undone = new UndoAcknowledgement(parts.libraryMessages());
        this.meters = parts.metrics().consumed(handler.type(), parts.timeline());
    }

    private static List<ConsumeMiddleware> of(List<ConsumeMiddleware> middlewares, Group group) {
        return middlewares.stream()
                .filter(middleware -> middleware.group() == group)
                .toList();
    }

    @Override
    public Settlement process(Delivery delivery) throws Exception {
        HandledMessage message;
        try {
            message = check(delivery);
        } catch (InvalidMessageException e) {
            Settlement end = poisonQueue.put(delivery, e.reason(), e);
            if (end != Settlement.HAND_BACK) { // otherwise it is delivered again, and told then
                parts.events().givenUpUnhandled(delivery.message().message(), e.reason(), e);
            }
            return end;
        }
        if (message.isFirstAttempt()) {
            meters.delivered(
                    message.envelope().sentAt(), delivery.message().message().body());
        }
        LogContext before = LogContext.replaceBy(message, parts.options().node());
        try {
            Settled settled = parts.scope().callAnew(() -> observed(message));
            if (settled.ending() instanceof Ending.Handled) {
                meters.completed(message.envelope().sentAt());
            }
            return settled.how();
        } finally {
            before.restore();
        }
    }

    private HandledMessage check(Delivery delivery) {
        WireMessage wire = delivery.message().message();
        Envelope envelope = validator.envelope(wire);
        ConsumeOptions options = parts.options();
        options.trustedUsers()
                .require(options.node(), handler.from(), delivery.message().user(), envelope);
        Envelope decoded = validator.decoded(envelope, wire);
        return new HandledMessage(
                delivery,
                new Handling(parts.current(), decoded, delivery::isOpen),
                () -> validator.payload(decoded),
                handler.payloadType(),
                parts.publishers());
    }

    private Settled observed(HandledMessage message) {
        Observation observation = parts.observations()
                .startHandling(
                        message.envelope(),
                        message.delivery.message().exchange(),
                        message.delivery.message().routingKey(),
                        message.queue(),
                        !message.isFirstAttempt() || message.wasKept());
        if (observation == null) {
            return settled(message);
        }
        Observation.Scope scope = parts.observations().open(observation);
        String outcome = Observations.POISONED; // by the settler, when a core step fails
        try {
            Settled settled = settled(message);
            outcome = settled.outcome();
            return settled;
        } finally {
            parts.observations().stop(observation, scope, outcome, message.attemptFailure());
        }
    }

    private Settled settled(HandledMessage message) {
        Ending ending;
        try {
            ending = admitted(message);
        } catch (Throwable failure) { // before anything was decided
            ending = recoverer.end(message, failure);
        }
        try {
            message.publicationsEnd(ending);
        } catch (Throwable e) {
            failures.failed("A watcher of publications failed when it was told of their end", message, e);
        }
        Settled settled = recoverer.carryOut(message, ending);
        afterGroup.tell(message);
        return settled;
    }

    /** Before the breaker, which speaks of handlers, comes what is wrong with the delivery itself. */
    private Ending admitted(HandledMessage message) {
        Throwable refusal = message.delivery.refusal();
        if (refusal != null) {
            message.failed(refusal);
            return recoverer.end(message, refusal);
        }
        int deliveries = message.delivery.message().deliveryCount();
        Evidence known = new Evidence(deliveries, 0, deliveries > 0 && survivors.contains(message.messageId()));
        if (quarantine.decide(known) instanceof FreshCopy) {
            survivors.remove(message.messageId());
            return Returned.because(NotHandledException.later(
                    "Connections were cut under message %s [deliveries=%s]; a copy of it begins with none"
                            .formatted(message.messageId(), deliveries),
                    Duration.ZERO));
        }
        Admission admission = breaker.admit();
        if (admission == null) {
            return Returned.because(
                    NotHandledException.later("Type %s is paused".formatted(message.type()), Duration.ZERO));
        }
        Ending ending = inContext(message);
        try {
            admission.ended(ending);
        } catch (Throwable e) {
            failures.failed("A circuit breaker failed when it was told how a message ended", message, e);
        }
        return ending;
    }

    /** What the application keeps on the thread is there before a transaction begins, and until it has ended. */
    private Ending inContext(HandledMessage message) {
        Ending decided = null;
        try (PropagatedContext.Opened unused = contexts.open(message)) {
            if (correlation == null) {
                decided = handled(message, NO_TURN);
            } else {
                Membership saga = correlation.of(message.envelope(), message.payload());
                message.handling.belongsTo(saga);
                try (Hold turn = turns.take(saga.sagaId())) {
                    decided = turn == null ? turns.comesBack(saga.sagaId(), message) : handled(message, turn);
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

    /** @param turn ends with the completion: what comes after it, sending above all, need not hold up the saga's next message */
    private Ending handled(HandledMessage message, Hold turn) {
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
        Written written;
        try (Claim claim = ((Ours) claimed).claim()) {
            Completion completion = run(message, claim);
            if (completion instanceof NotWritten failed) {
                return closed(claim, failed.failure(), recoverer.end(message, failed.failure()));
            }
            written = (Written) completion;
            message.endsAs(Ending.HANDLED);
            turn.close();
            written.then().forEach(Runnable::run);
        }
        return sent(written.toSend(), Ending.HANDLED);
    }

    /** Runs the handler, and again when others changed meanwhile what it changes, which costs no attempt. */
    private Completion run(HandledMessage message, Claim claim) {
        try {
            Completion completion = claim.handle(() -> runHandler(message));
            for (int losses = 1; completion instanceof Overtaken; losses++) {
                parts.metrics().overtaken(message.type());
                if (losses == MOST_LOSSES) {
                    return new NotWritten(NotHandledException.later(
                            "What message %s changes was changed by other messages %s times while it was handled"
                                    .formatted(message.messageId(), losses),
                            LOSERS_COME_BACK));
                }
                message.startAgain();
                completion = claim.handle(() -> parts.scope().runAnew(() -> runHandler(message)));
            }
            return completion;
        } catch (Throwable failure) {
            return new NotWritten(failure);
        }
    }

    private void runHandler(HandledMessage message) throws Exception {
        try {
            beforeGroup.run(message);
        } finally {
            Thread.interrupted(); // left behind by a middleware, it would fail the completion or the sending
        }
        undone.addTo(message.handling);
    }

    /** What was decided stands even if it cannot be recorded: the next attempt's header says what the record could not. */
    private static Failed closed(Claim claim, Throwable failure, Failed ending) {
        try {
            return claim.release(failure, ending);
        } catch (Throwable e) {
            LOG.debug("The claim of a message that failed could not be released", e);
            return ending;
        }
    }

    private Ending sent(@Nullable MessageRecord record, Ending ending) {
        NotHandledException unsent = record == null ? null : claims.send(record);
        return unsent == null ? ending : Returned.because(unsent);
    }
}
