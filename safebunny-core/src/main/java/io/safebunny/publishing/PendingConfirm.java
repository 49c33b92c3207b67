// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sending of one message: attempts until it is confirmed or refused, or its deadline has passed. Completes when it is confirmed, or
 * with a {@link io.safebunny.failure.PublishException}; perhaps on an I/O thread. Thread-safe.
 */
public final class PendingConfirm extends CompletableFuture<Void> {

    private static final Logger LOG = LoggerFactory.getLogger(PendingConfirm.class);

    private static final Duration FIRST_BACK_OFF = Duration.ofMillis(100);
    /** Short, because a flapping connection may be up for only half a second at a time. */
    private static final Duration LONGEST_BACK_OFF = Duration.ofMillis(500);

    /** How long a transport may take to end a publication after its deadline. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ConfirmedSender sender;
    private final Means means;
    private final OutboundMessage message;
    private final Deadline deadline;
    private Duration backOff = FIRST_BACK_OFF;
    private volatile Timeline.@Nullable Cancellable limit;

    /**
     * What is needed to send messages.
     *
     * @param retries runs retries
     */
    record Means(Transport transport, Timeline timeline, Executor retries) {}

    PendingConfirm(ConfirmedSender sender, Means means, OutboundMessage message, Deadline deadline) {
        this.sender = sender;
        this.means = means;
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
            means.timeline.await(this, deadline.left().plus(GRACE));
        } catch (ExecutionException e) {
            throw rethrow(e.getCause());
        } catch (TimeoutException e) {
            throw new PublishTimeoutException(message.publication(), deadline.timeout(), "the transport");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(message);
        }
    }

    static PublishTimeoutException interrupted(OutboundMessage message) {
        return PublishTimeoutException.interrupted(message.publication(), "the confirm");
    }

    private static RuntimeException rethrow(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure
                ? failure
                : new MisuseException(
                        MisuseException.BROKEN_RULE,
                        "The transport failed with something other than a PublishException (%s), so it is unknown whether the broker has the message. Correct the Transport bean."
                                .formatted(
                                        cause == null ? null : cause.getClass().getName()),
                        cause);
    }

    void attempt() {
        CompletableFuture<Void> unused = sendOnce(
                        message.deliverAt() == null ? message : message.sentAt(means.timeline.now()))
                .whenComplete((none, failure) -> {
                    Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
                    if (cause == null || isToBeDropped(cause)) {
                        complete(null);
                    } else if (cause instanceof ConnectionLostException && !sender.isStopped()) {
                        againAfter(cause);
                    } else {
                        completeExceptionally(explained(cause));
                    }
                });
    }

    /** Sends once. Turns exceptions of the transport into failed futures, because otherwise a retry would never complete. */
    private CompletableFuture<Void> sendOnce(OutboundMessage outbound) {
        try {
            return means.transport.send(outbound, deadline);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Throwable explained(Throwable cause) {
        String help = cause instanceof UnroutableException && message.route() instanceof Route.ToSubscribers
                ? sender.taken(message.publication().type())
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

    /** Schedules a retry. The time limit is scheduled only at the first lost connection, because most messages never need one. */
    private void againAfter(Throwable cause) {
        if (isDone()) { // the deadline has passed
            return;
        }
        try {
            if (sender.retries(this)) {
                limit = means.timeline.schedule(
                        Duration.ofNanos(deadline.nanosLeft()), () -> completeExceptionally(cause));
            }
            means.timeline.schedule(jittered(backOff), () -> attemptOnRetries(cause));
        } catch (RuntimeException | Error e) { // nothing else would complete this or release its permit
            cause.addSuppressed(e);
            completeExceptionally(cause);
        }
        if (isDone()) { // this may have ended before it was added
            sender.retriesNoMore(this);
        }
        Duration doubled = backOff.multipliedBy(2);
        backOff = doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
    }

    /** Between half and all of the given time: messages that were lost together must not all be retried, and lost, together again. */
    private Duration jittered(Duration longest) {
        return longest.minusNanos(means.timeline.random().nextLong(longest.toNanos() / 2));
    }

    private void attemptOnRetries(Throwable cause) {
        if (isDone()) {
            return;
        }
        try {
            means.retries.execute(this::attempt);
        } catch (RejectedExecutionException e) {
            shutDown(e);
        } catch (OutOfMemoryError e) { // no thread available now
            LOG.debug("No thread available; retrying in {} ms", backOff.toMillis(), e);
            againAfter(cause);
        }
    }

    void shutDown(@Nullable Throwable cause) {
        completeExceptionally(new ConnectionLostException(message.publication(), "shutting down", cause));
    }

    /** Releases the permit, and the timer, which otherwise would keep the message in memory until it fires. */
    void ended() {
        sender.ended(this);
        Timeline.Cancellable pending = limit;
        if (pending != null) {
            pending.cancel();
        }
    }
}
