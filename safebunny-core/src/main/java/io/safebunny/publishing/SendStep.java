// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.micrometer.observation.Observation;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handling.MessageScope;
import io.safebunny.handling.Pipeline;
import io.safebunny.handling.Surrounding;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Observations;
import io.safebunny.store.Outbox;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The action of the publish pipeline: collects, stores or sends the message, as its caller requested, and reports the outcome to
 * the after group. Thread-safe.
 */
final class SendStep implements Middleware<Publication> {

    private final MessageFactory messages;
    private final ConfirmedSender sender;
    private final @Nullable Outbox outbox;
    private final Observations observations;
    private final MessageScope scope;
    private final Executor callbacks;
    private final Executor reports;
    private final Pipeline<PublishContext> after;
    private final boolean hasAfter;
    private final BoundedLog log;

    SendStep(
            MessageFactory messages,
            ConfirmedSender sender,
            @Nullable Outbox outbox,
            Observations observations,
            MessageScope scope,
            Executor callbacks,
            Executor reports,
            BoundedLog log,
            List<PublishMiddleware> afterwards) {
        this.log = log;
        this.messages = messages;
        this.sender = sender;
        this.outbox = outbox;
        this.observations = observations;
        this.scope = scope;
        this.callbacks = callbacks;
        this.reports = reports;
        this.after = new Pipeline<>(afterwards);
        this.hasAfter = !afterwards.isEmpty();
    }

    @Override
    public void invoke(Publication publication, Next next) throws Exception {
        Report report = hasAfter ? new Report(publication, after, scope, reports, log) : null;
        PublishOutcome outcome;
        try {
            outcome = send(publication, report);
        } catch (Throwable failure) {
            endedHere(report, PublishOutcome.FAILED, failure);
            throw failure;
        }
        publication.accepted();
        if (outcome != null) {
            endedHere(report, outcome, null);
        }
        next.run();
    }

    private static void endedHere(@Nullable Report report, PublishOutcome outcome, @Nullable Throwable failure) {
        if (report != null) {
            report.endedHere(outcome, failure);
        }
    }

    /** @return {@code null} if the outcome is reported later */
    private @Nullable PublishOutcome send(Publication publication, @Nullable Report report) {
        if (publication.surrounding != null) {
            if (publication.mode != Publication.Mode.SEND_NOW || !publication.surrounding.isEnding()) {
                publication.surrounding.requirePublishing();
            }
            if (publication.mode == Publication.Mode.SEND_NOW && publication.surrounding.collectsOnly()) {
                throw new InvalidPublicationException(
                        "publishNow is refused in a saga [type=%s]: the message would stay sent even if the saga's state is not written. Use publish, or a step of the saga."
                                .formatted(publication.type()));
            }
        }
        Envelope parent = publication.surrounding == null ? null : publication.surrounding.message();
        Map<String, String> trace = Observations.traceOf(parent);
        String routingKey = messages.routingKeyOf(publication);
        Observation observation =
                publication.mode == Publication.Mode.COLLECT || publication.mode == Publication.Mode.KEEP
                        ? observations.startCreating(publication.type(), routingKey, trace)
                        : observations.startPublishing(publication.type(), routingKey, trace);
        boolean handedOver = false;
        Throwable failure = null;
        try {
            OutboundMessage created = messages.create(publication, trace);
            OutboundMessage message = report == null ? created : created.watchedBy(report);
            observations.identified(observation, publication.messageId(), publication.correlationId());
            switch (publication.mode) {
                case COLLECT -> collect(Objects.requireNonNull(publication.surrounding, "in this mode"), message);
                case SEND_AND_WAIT -> {
                    if (!isStored(message, observation)) {
                        return sendNow(publication, message);
                    }
                }
                case SEND_ASYNC -> {
                    if (!isStored(message, observation)) {
                        sender.requireRunning(message);
                        publication.sent = whenSent(report, observation, sender.send(message, publication.deadline()));
                        handedOver = true;
                    }
                }
                case SEND_NOW -> {
                    return sendNow(publication, message);
                }
                case KEEP -> publication.kept = message;
            }
            return null;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            if (observation != null && !handedOver) {
                observations.stopSending(observation, failure);
            }
        }
    }

    private PublishOutcome sendNow(Publication publication, OutboundMessage message) {
        sender.requireRunning(message);
        sender.sendAndWait(message, publication.deadline());
        return PublishOutcome.CONFIRMED;
    }

    private boolean isStored(OutboundMessage message, @Nullable Observation observation) {
        boolean stored = isStored(message);
        if (stored && observation != null) {
            observations.wasCreated(observation, message.route().routingKey());
        }
        return stored;
    }

    /** Stores the message in the transaction open on this thread, if any; otherwise sends it and waits for the confirm. */
    void storeOrSend(OutboundMessage message, Deadline deadline) {
        if (!isStored(message)) {
            sender.requireRunning(message);
            sender.publishAndWait(message, deadline);
            message.ended(PublishOutcome.CONFIRMED, null);
        }
    }

    /** Collects the message as part of the handling, or of the transaction of a listener that runs when the handling ends. */
    void collect(Surrounding handling, OutboundMessage message) {
        if (!handling.leavesToItsTransaction() || !isStored(message)) {
            handling.collect(message);
        }
    }

    private boolean isStored(OutboundMessage message) {
        return outbox != null && outbox.add(message);
    }

    private CompletableFuture<Void> whenSent(
            @Nullable Report report, @Nullable Observation observation, CompletableFuture<Void> sent) {
        if (observation == null && report == null) {
            return sent;
        }
        return sent.whenCompleteAsync(
                (none, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (observation != null) {
                        observations.stopSending(observation, cause);
                    }
                    if (report != null) {
                        report.ended(cause == null ? PublishOutcome.CONFIRMED : PublishOutcome.FAILED, cause);
                    }
                },
                callbacks);
    }
}
