// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.micrometer.observation.Observation;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handling.Surrounding;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.DetailsByType;
import io.safebunny.observation.FailureDetails;
import io.safebunny.observation.Observations;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
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
final class StoreOrSend implements Middleware<PublishCall> {

    private final MessageFactory messages;
    private final ConfirmedSender sender;
    private final @Nullable Outbox outbox;
    private final Observations observations;
    private final DetailsByType details;
    private final Executor callbacks;
    private final Reports reports;

    /** @param callbacks runs the code that tells callers, which did not wait, the outcome of their publication */
    StoreOrSend(
            MessageFactory messages,
            ConfirmedSender sender,
            @Nullable Outbox outbox,
            AroundPublication around,
            Executor callbacks) {
        this.messages = messages;
        this.sender = sender;
        this.outbox = outbox;
        this.observations = around.observations();
        this.details = around.details();
        this.callbacks = callbacks;
        this.reports =
                new Reports(around.threads(), around.scope(), around.log(), around.details(), around.of(Group.AFTER));
    }

    @Override
    public void invoke(PublishCall call, Next next) throws Exception {
        Report report = reports.on(call);
        PublishOutcome outcome;
        try {
            outcome = send(call, report);
        } catch (Throwable failure) {
            endedHere(report, PublishOutcome.FAILED, failure);
            throw failure;
        }
        call.accepted();
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

    /** @return the outcome; {@code null} if it is reported later */
    private @Nullable PublishOutcome send(PublishCall call, @Nullable Report report) {
        if (call.surrounding != null) {
            if (call.mode != PublishCall.Mode.SEND_NOW || !call.surrounding.isEnding()) {
                call.surrounding.requirePublishing();
            }
            if (call.mode == PublishCall.Mode.SEND_NOW && call.surrounding.collectsOnly()) {
                throw new InvalidPublicationException(
                        "publishNow is refused in a saga [type=%s]: the message would stay sent even if the saga's state is not written. Use publish, or a step of the saga."
                                .formatted(call.type()));
            }
        }
        Envelope parent = call.surrounding == null ? null : call.surrounding.message();
        Map<String, String> trace = Observations.traceOf(parent);
        String routingKey = messages.routingKeyOf(call);
        Observation observation = call.mode.isSending()
                ? observations.startPublishing(call.type(), routingKey, trace)
                : observations.startCreating(call.type(), routingKey, trace);
        boolean handedOver = false;
        Throwable failure = null;
        try {
            OutboundMessage created = messages.create(call, trace);
            OutboundMessage message = report == null ? created : created.watchedBy(report);
            observations.identified(observation, call.messageId(), call.correlationId());
            switch (call.mode) {
                case COLLECT -> collect(Objects.requireNonNull(call.surrounding, "in this mode"), message);
                case SEND_AND_WAIT -> {
                    if (!isStored(message, observation)) {
                        return sendNow(call, message);
                    }
                }
                case SEND_ASYNC -> {
                    if (!isStored(message, observation)) {
                        sender.requireRunning(message);
                        call.sent = whenSent(call, report, observation, sender.send(message, call.deadline()));
                        handedOver = true;
                    }
                }
                case SEND_NOW -> {
                    return sendNow(call, message);
                }
                case KEEP -> call.kept = message;
            }
            return null;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            if (observation != null && !handedOver) {
                stop(observation, failure, call);
            }
        }
    }

    private void stop(Observation observation, @Nullable Throwable failure, PublishCall call) {
        FailureDetails shown = failure == null ? FailureDetails.FULL : details.ofPayload(call.payload());
        observations.stopSending(observation, failure, shown);
    }

    private PublishOutcome sendNow(PublishCall call, OutboundMessage message) {
        sender.requireRunning(message);
        sender.send(message, call.deadline()).await();
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
    void storeOrSend(OutboundMessage message) {
        if (!isStored(message)) {
            sender.requireRunning(message);
            sender.sendTraced(message).await();
            message.ended(PublishOutcome.CONFIRMED, null);
        }
    }

    /**
     * Collects the message as part of the handling. If a listener publishes at the end of the handling in its own transaction, stores it in
     * that transaction.
     */
    void collect(Surrounding handling, OutboundMessage message) {
        if (!handling.leavesToItsTransaction() || !isStored(message)) {
            handling.collect(message);
        }
    }

    private boolean isStored(OutboundMessage message) {
        return outbox != null && outbox.add(message);
    }

    private CompletableFuture<Void> whenSent(
            PublishCall call,
            @Nullable Report report,
            @Nullable Observation observation,
            CompletableFuture<Void> sent) {
        if (observation == null && report == null) {
            return sent;
        }
        return sent.whenCompleteAsync(
                (none, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (observation != null) {
                        stop(observation, cause, call);
                    }
                    if (report != null) {
                        report.ended(cause == null ? PublishOutcome.CONFIRMED : PublishOutcome.FAILED, cause);
                    }
                },
                callbacks);
    }
}
