// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.observation.Observation;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Pipeline;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import io.safebunny.observation.MessageMeters;
import io.safebunny.recovery.Evidence;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.QuarantinePolicy;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.recovery.Treatment.FreshCopy;
import io.safebunny.saga.running.Correlation;
import io.safebunny.transport.Delivery;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One queue's deliveries: validate → observe → after group → recover (poison, delayed retry) → guard (circuit breaker) → context of the
 * application → deduplicate or dispatch → before group → handler with its in-memory retries. Thread-safe.
 */
final class ConsumePipeline implements DeliverySettler.Processing {

    private final ConsumePipelineFactory parts;
    private final HandlerDefinition handler;
    private final TypeBreaker breaker;
    private final MessageValidator validator;
    private final PoisonQueue poisonQueue;
    private final Recoverer recoverer;
    private final Survivors survivors;
    private final Pipeline<HandledMessage> pipeline;
    private final QuarantinePolicy quarantine;
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
        this.meters = parts.metrics().consumed(handler.type(), parts.timeline());
        this.undone = new UndoAcknowledgement(parts.libraryMessages());
        List<Middleware<? super HandledMessage>> steps = new ArrayList<>();
        steps.add(this::observe);
        List<ConsumeMiddleware> after = of(parts.middlewares(), Group.AFTER);
        if (!after.isEmpty()) {
            String queue = Names.address(parts.options().node(), handler.type());
            steps.add(new AfterGroup(after, parts.log(), queue)::run);
        }
        steps.add(this::recover);
        steps.add(this::guard);
        if (!parts.propagators().isEmpty()) {
            steps.add(new PropagatedContext(parts.propagators(), parts.log())::run);
        }
        Correlation correlation = parts.correlations().apply(handler);
        if (correlation != null) {
            steps.add(new SagaTurns(correlation, parts.turns(), parts.timeline(), handler.prefetch()));
        }
        Deduplication deduplication = parts.deduplication();
        steps.add(
                deduplication == null ? this::dispatch : (message, next) -> deduplicate(deduplication, message, next));
        List<ConsumeMiddleware> before = of(parts.middlewares(), Group.BEFORE);
        steps.addAll(before);
        HandlerStep innermost = new HandlerStep(runner, !before.isEmpty());
        steps.add((message, next) -> innermost.run(message));
        this.pipeline = new Pipeline<>(steps);
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
            Envelope envelope = validator.envelope(delivery.message().message());
            ConsumeOptions options = parts.options();
            options.trustedUsers()
                    .require(options.node(), handler.from(), delivery.message().user(), envelope);
            Envelope decoded = validator.decoded(envelope, delivery.message().message());
            message = new HandledMessage(
                    delivery,
                    new Handling(parts.current(), decoded, delivery::isOpen),
                    () -> validator.payload(decoded),
                    handler.payloadType(),
                    parts.publishers());
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
            parts.scope().runAnew(() -> pipeline.run(message));
        } finally {
            before.restore();
        }
        if (message.isHandled()) {
            meters.completed(message.envelope().sentAt());
        }
        return message.settlement();
    }

    private void observe(HandledMessage message, Next next) throws Exception {
        Observation observation = parts.observations()
                .startHandling(
                        message.envelope(),
                        message.delivery.message().exchange(),
                        message.delivery.message().routingKey(),
                        message.queue(),
                        !message.isFirstAttempt() || message.wasKept());
        if (observation == null) {
            next.run();
            return;
        }
        Observation.Scope scope = parts.observations().open(observation);
        try {
            next.run();
        } finally {
            parts.observations().stop(observation, scope, message.outcome(), message.attemptFailure());
        }
    }

    private void recover(HandledMessage message, Next next) {
        try {
            next.run();
            message.publicationsEnd(null);
        } catch (Throwable failure) { // an Error of one message must not end the service
            message.publicationsEnd(failure);
            Thread.interrupted(); // left behind by a middleware, it would fail the copy
            message.endsWith(recoverer.recover(message, failure));
        }
    }

    /** Before the breaker, which speaks of handlers. */
    private static void requireUnrefused(HandledMessage message) throws Exception {
        Throwable refusal = message.delivery.refusal();
        if (refusal == null) {
            return;
        }
        message.failed(refusal);
        if (refusal instanceof Error error) {
            throw error;
        }
        throw refusal instanceof Exception exception ? exception : new UndeclaredThrowableException(refusal);
    }

    private void guard(HandledMessage message, Next next) throws Exception {
        requireUnrefused(message);
        int deliveries = message.delivery.message().deliveryCount();
        Evidence known = new Evidence(deliveries, 0, deliveries > 0 && survivors.contains(message.messageId()));
        if (quarantine.decide(known) instanceof FreshCopy) {
            survivors.remove(message.messageId());
            throw NotHandledException.later(
                    "Connections were cut under message %s [deliveries=%s]; a copy of it begins with none"
                            .formatted(message.messageId(), deliveries),
                    Duration.ZERO);
        }
        Admission admission = breaker.admit();
        if (admission == null) {
            throw NotHandledException.later("Type %s is paused".formatted(message.type()), Duration.ZERO);
        }
        try {
            next.run();
        } catch (Throwable failure) {
            admission.failed(recoverer.decide(message, failure));
            throw failure;
        }
        admission.succeeded();
    }

    private void deduplicate(Deduplication deduplication, HandledMessage message, Next next) throws Exception {
        deduplication.run(message.handling, judgeOf(message), new Deduplication.Action() {
            @Override
            public void run(Handling handling) throws Exception {
                handled(handling, next);
            }

            @Override
            public void runAgain(Handling handling) throws Exception {
                message.startAgain();
                parts.scope().runAnew(() -> handled(handling, next));
            }
        });
    }

    private Deduplication.Judge judgeOf(HandledMessage message) {
        return new Deduplication.Judge() {
            @Override
            public RecoveryAction judge(Throwable failure) {
                return recoverer.decide(message, failure).action();
            }

            @Override
            public void superseded(NotHandledException by) {
                recoverer.supersede(message, by);
            }

            @Override
            public void completed() {
                message.completed();
            }
        };
    }

    private void dispatch(HandledMessage message, Next next) throws Exception {
        message.handling.run(() -> handled(message.handling, next));
        try {
            parts.sender().sendInOrder(message.handling.collected());
        } catch (UnroutableException | NackedException e) {
            throw new UnpublishedException(message.messageId(), e);
        }
        message.completed();
    }

    private void handled(Handling handling, Next next) throws Exception {
        try {
            next.run();
        } finally {
            Thread.interrupted(); // left behind by a middleware, it would fail the completion or the sending
        }
        undone.addTo(handling);
    }
}
