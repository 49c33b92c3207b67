// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.micrometer.observation.Observation;
import io.safebunny.concurrency.Permits;
import io.safebunny.failure.NotRunningException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.FailureDetails;
import io.safebunny.observation.Observations;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * Sends a message until it is confirmed or its time is up. After a lost connection nobody knows whether the broker has the
 * message, so it is sent again with the same id. A refusal is final, except that an unroutable message counts as sent if it may
 * be dropped if unheard. The number of messages in flight is limited; further callers wait for a permit. Thread-safe.
 */
public final class ConfirmedSender {

    private final PendingConfirm.Means means;
    private final Limits limits;
    private final Permits inFlight;
    private final Observations observations;
    private final AtomicInteger unconfirmed = new AtomicInteger();
    /** Messages that lost their connection, in the order of the loss; stop() ends them in this order. */
    private final Set<PendingConfirm> retrying = Collections.synchronizedSet(new LinkedHashSet<>());

    private volatile UnaryOperator<String> taken = type -> "";
    private volatile boolean started = true;
    private volatile boolean stopped;

    /** A sender without observations. */
    public ConfirmedSender(
            Transport transport, Timeline timeline, Executor retries, Duration timeout, int maxInFlight) {
        this(transport, timeline, retries, new Limits(timeout, maxInFlight), Observations.none());
    }

    /** @param retries runs retries; must not be the timeline's thread, because sending may block */
    public ConfirmedSender(
            Transport transport, Timeline timeline, Executor retries, Limits limits, Observations observations) {
        this.means = new PendingConfirm.Means(transport, timeline, retries);
        this.limits = limits;
        this.inFlight = new Permits(limits.maxInFlight());
        this.observations = observations;
    }

    /**
     * Limits of sending.
     *
     * @param timeout total time for a message: waiting for a permit, a connection and a channel, retries, and the confirm
     * @param maxInFlight maximum number of messages in flight
     */
    public record Limits(Duration timeout, int maxInFlight) {}

    /** From now on refuses publications until {@link #start}, because there is no connection yet. */
    public void awaitStart() {
        started = false;
    }

    public void start() {
        started = true;
    }

    /** @param taken given the type of an unroutable message, returns a text that says what this node consumes, or an empty text */
    public void explainUnroutable(UnaryOperator<String> taken) {
        this.taken = taken;
    }

    /**
     * Refuses a publication of the application if no connection is open or being opened.
     *
     * @throws NotRunningException before the start and after the stop
     */
    void requireRunning(OutboundMessage message) {
        if (stopped) {
            throw NotRunningException.stopped(message.publication());
        }
        if (!started) {
            throw NotRunningException.notStarted(message.publication());
        }
    }

    Timeline timeline() {
        return means.timeline();
    }

    /** Number of messages sent but not confirmed yet. */
    public int inFlight() {
        return unconfirmed.get();
    }

    /** Sends a message with {@link #deadline}. Blocks while there is no permit. */
    public PendingConfirm send(OutboundMessage message) {
        return send(message, deadline());
    }

    /** Like {@link #send(OutboundMessage)}, with a separate observation, for messages that were created earlier. */
    public PendingConfirm sendTraced(OutboundMessage message) {
        WireMessage wire = message.message();
        Observation observation = observations.startSending(
                String.valueOf(wire.type()),
                message.route().routingKey(),
                String.valueOf(wire.messageId()),
                wire.headers());
        PendingConfirm sent = send(message);
        if (observation != null) {
            CompletableFuture<Void> unused = sent.whenComplete((none, failure) ->
                    observations.stopSending(observation, failure, FailureDetails.FULL)); // it quotes the broker
        }
        return sent;
    }

    /** The deadline of a publication that begins now. */
    Deadline deadline() {
        return Deadline.after(limits.timeout(), timeline());
    }

    /** @param deadline for everything: waiting for a permit, a connection and a channel, retries, and the confirm */
    PendingConfirm send(OutboundMessage message, Deadline deadline) {
        PendingConfirm sent = new PendingConfirm(this, means, message, deadline);
        try {
            if (!inFlight.acquire(deadline)) {
                sent.completeExceptionally(new PublishTimeoutException(
                        message.publication(),
                        deadline.timeout(),
                        "a permit, because %s publications are unconfirmed (safebunny.publisher.max-in-flight)"
                                .formatted(limits.maxInFlight())));
                return sent;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sent.completeExceptionally(PendingConfirm.interrupted(message));
            return sent;
        }
        unconfirmed.incrementAndGet();
        CompletableFuture<Void> unused = sent.whenComplete((none, failure) -> sent.ended());
        sent.attempt();
        return sent;
    }

    /**
     * Registers a message that is being retried, so that {@link #stop} ends it.
     *
     * @return {@code false} if it is registered already
     */
    boolean retries(PendingConfirm sent) {
        return retrying.add(sent);
    }

    /** Undoes {@link #retries}. */
    void retriesNoMore(PendingConfirm sent) {
        retrying.remove(sent);
    }

    /** Call when the message is no longer in flight. */
    void ended(PendingConfirm sent) {
        unconfirmed.decrementAndGet();
        inFlight.release();
        retriesNoMore(sent);
    }

    boolean isStopped() {
        return stopped;
    }

    /** A text that says what this node itself consumes, for the error about an unroutable message of this type; may be empty. */
    String taken(String type) {
        return taken.apply(type);
    }

    /** Sends the messages like {@link #sendTraced}, each after the confirm of the previous one. */
    public void sendInOrder(List<OutboundMessage> messages) {
        for (OutboundMessage message : messages) {
            sendTraced(message).await();
            message.ended(PublishOutcome.CONFIRMED, null);
        }
    }

    /** Stops retrying, because the connections are about to be closed. */
    public void stop() {
        stopped = true;
        for (PendingConfirm sending : retrying.toArray(PendingConfirm[]::new)) {
            sending.shutDown(null);
        }
    }
}
