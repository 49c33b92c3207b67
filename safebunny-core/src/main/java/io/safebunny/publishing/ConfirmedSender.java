// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.micrometer.observation.Observation;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.NotRunningException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.Observations;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import io.safebunny.waiting.Permits;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a message until it is confirmed or its time is up. After a lost connection nobody knows whether the broker has the
 * message, so it is sent again with the same id. A refusal is final, except that an unroutable message counts as sent if it may
 * be dropped if unheard. The number of messages in flight is limited; further callers wait for a permit. Thread-safe.
 */
public final class ConfirmedSender {

    private static final Logger LOG = LoggerFactory.getLogger(ConfirmedSender.class);

    private static final Duration FIRST_BACK_OFF = Duration.ofMillis(100);
    /** Short, because a flapping connection may be up for only half a second at a time. */
    private static final Duration LONGEST_BACK_OFF = Duration.ofMillis(500);

    /** How long a transport may take to end a publication after its deadline. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Transport transport;
    private final Timeline timeline;
    private final Executor retries;
    private final Limits limits;
    private final Permits inFlight;
    private final Observations observations;
    private final AtomicInteger unconfirmed = new AtomicInteger();
    /** In the order in which they lost the connection, so that stop() ends them in that order. */
    private final Set<PendingConfirm> retrying = Collections.synchronizedSet(new LinkedHashSet<>());

    private volatile UnaryOperator<String> taken = type -> "";
    private volatile boolean started = true;
    private volatile boolean stopped;

    /** Observes nothing. */
    public ConfirmedSender(
            Transport transport, Timeline timeline, Executor retries, Duration timeout, int maxInFlight) {
        this(transport, timeline, retries, new Limits(timeout, maxInFlight), Observations.none());
    }

    /** @param retries runs retries; must not be the timeline's thread, because sending may block */
    public ConfirmedSender(
            Transport transport, Timeline timeline, Executor retries, Limits limits, Observations observations) {
        this.transport = transport;
        this.timeline = timeline;
        this.retries = retries;
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

    /** Refuses publications until {@link #start}, because there is no connection yet. */
    public void awaitStart() {
        started = false;
    }

    public void start() {
        started = true;
    }

    /** @param taken maps the type of an unroutable message to a text about what this node consumes; may return an empty text */
    public void explainUnroutable(UnaryOperator<String> taken) {
        this.taken = taken;
    }

    /**
     * Refuses an application's publication that would wait for a connection that nobody opens.
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

    /**
     * The sending of one message. Completes when the message is confirmed, or with a {@link
     * io.safebunny.failure.PublishException}; perhaps on an I/O thread.
     */
    public final class PendingConfirm extends CompletableFuture<Void> {

        private final OutboundMessage message;
        private final Deadline deadline;
        private Duration backOff = FIRST_BACK_OFF;
        private volatile Timeline.@Nullable Cancellable limit;

        private PendingConfirm(OutboundMessage message, Deadline deadline) {
            this.message = message;
            this.deadline = deadline;
        }

        /**
         * Blocks until the message is confirmed, at most until one second after the deadline.
         *
         * @throws io.safebunny.failure.PublishException when it is not confirmed
         */
        public void await() {
            try {
                timeline.await(this, deadline.left().plus(GRACE));
            } catch (ExecutionException e) {
                throw rethrow(e.getCause());
            } catch (TimeoutException e) {
                throw new PublishTimeoutException(message.publication(), deadline.timeout(), "the transport");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw interrupted(message);
            }
        }

        private void attempt() {
            CompletableFuture<Void> unused = sendOnce(
                            message.deliverAt() == null ? message : message.sentAt(timeline.now()), deadline)
                    .whenComplete((none, failure) -> {
                        Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
                        if (cause == null || isToBeDropped(cause)) {
                            complete(null);
                        } else if (cause instanceof ConnectionLostException && !stopped) {
                            againAfter(cause);
                        } else {
                            completeExceptionally(explained(cause));
                        }
                    });
        }

        private Throwable explained(Throwable cause) {
            String help = cause instanceof UnroutableException && message.route() instanceof Route.Publication
                    ? taken.apply(message.publication().type())
                    : "";
            return help.isEmpty() ? cause : ((UnroutableException) cause).with(help);
        }

        private boolean isToBeDropped(Throwable cause) {
            boolean dropped = cause instanceof UnroutableException && message.droppedIfUnheard();
            if (dropped) {
                LOG.debug("Message {} is dropped, as requested: no queue is bound for it", message.publication());
            }
            return dropped;
        }

        /** Schedules the time limit only at the first lost connection, because most messages never need one. */
        private void againAfter(Throwable cause) {
            if (isDone()) { // the deadline has passed
                return;
            }
            try {
                if (retrying.add(this)) {
                    limit = timeline.schedule(
                            Duration.ofNanos(deadline.nanosLeft()), () -> completeExceptionally(cause));
                }
                timeline.schedule(jittered(backOff), () -> attemptOnRetries(cause));
            } catch (RuntimeException | Error e) { // otherwise nothing would complete it or release its permit
                cause.addSuppressed(e);
                completeExceptionally(cause);
            }
            if (isDone()) { // perhaps before it was added
                retrying.remove(this);
            }
            Duration doubled = backOff.multipliedBy(2);
            backOff = doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
        }

        /** Between half and all of the given time, so that messages lost together are retried at different times and not all lost again. */
        private Duration jittered(Duration longest) {
            return longest.minusNanos(timeline.random().nextLong(longest.toNanos() / 2));
        }

        private void attemptOnRetries(Throwable cause) {
            if (isDone()) {
                return;
            }
            try {
                retries.execute(this::attempt);
            } catch (RejectedExecutionException e) {
                completeExceptionally(new ConnectionLostException(message.publication(), "shutting down", e));
            } catch (OutOfMemoryError e) { // no thread available now
                LOG.debug("No thread available; retrying in {} ms", backOff.toMillis(), e);
                againAfter(cause);
            }
        }

        private void ended() {
            unconfirmed.decrementAndGet();
            inFlight.release();
            retrying.remove(this);
            Timeline.Cancellable pending = limit;
            if (pending != null) { // a pending timer would keep the message in memory until it fires
                pending.cancel();
            }
        }
    }

    /** Number of messages sent but not confirmed yet. */
    public int inFlight() {
        return unconfirmed.get();
    }

    /** Sends a message with {@link #deadline}. Blocks while there is no permit. */
    public PendingConfirm send(OutboundMessage message) {
        return send(message, deadline());
    }

    /** Like {@link #send(OutboundMessage)}, with an observation: for messages that were created earlier. */
    public PendingConfirm sendTraced(OutboundMessage message) {
        WireMessage wire = message.message();
        Observation observation = observations.startSending(
                String.valueOf(wire.type()),
                message.route().routingKey(),
                String.valueOf(wire.messageId()),
                wire.headers());
        PendingConfirm sent = send(message);
        if (observation != null) {
            CompletableFuture<Void> unused =
                    sent.whenComplete((none, failure) -> observations.stopSending(observation, failure));
        }
        return sent;
    }

    /** The deadline of a publication that begins now. */
    Deadline deadline() {
        return Deadline.after(limits.timeout(), timeline);
    }

    /** @param deadline for everything: waiting for a permit, a connection and a channel, retries, and the confirm */
    PendingConfirm send(OutboundMessage message, Deadline deadline) {
        PendingConfirm sent = new PendingConfirm(message, deadline);
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
            sent.completeExceptionally(interrupted(message));
            return sent;
        }
        unconfirmed.incrementAndGet();
        CompletableFuture<Void> unused = sent.whenComplete((none, failure) -> sent.ended());
        sent.attempt();
        return sent;
    }

    /** Turns exceptions of the transport into failed futures; otherwise the future of a retry would never complete. */
    private CompletableFuture<Void> sendOnce(OutboundMessage message, Deadline deadline) {
        try {
            return transport.send(message, deadline);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static PublishTimeoutException interrupted(OutboundMessage message) {
        return PublishTimeoutException.interrupted(message.publication(), "the confirm");
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
            sending.completeExceptionally(
                    new ConnectionLostException(sending.message.publication(), "shutting down", null));
        }
    }

    private static RuntimeException rethrow(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure
                ? failure
                : new MisuseException(
                        MisuseException.BROKEN_RULE,
                        "The transport failed with something other than a PublishException (%s), so it is unknown whether the broker has the message. The Transport bean must be corrected."
                                .formatted(
                                        cause == null ? null : cause.getClass().getName()),
                        cause);
    }
}
