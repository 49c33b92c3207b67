// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends until confirmed or out of time. A lost connection leaves the fate of a message unknown, so it is sent again with the
 * same id; a refusal is final. At most so many messages are on their way; a further caller waits its turn. Thread-safe.
 */
public final class ConfirmedSender {

    private static final Duration FIRST_BACK_OFF = Duration.ofMillis(100);
    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(2);

    private final Transport transport;
    private final Timeline timeline;
    private final Executor retries;
    private final Duration timeout;
    /** With a transport that never answers. */
    private final Duration patience;

    private final int maxInFlight;
    private final Semaphore inFlight;
    private final Set<Sending> retrying = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /**
     * @param timeout how long a message may take, waiting and sending again included
     * @param maxInFlight messages on their way at most
     * @param retries sends again; sending may block, so this is not the timeline's thread
     */
    public ConfirmedSender(
            Transport transport, Timeline timeline, Executor retries, Duration timeout, int maxInFlight) {
        this.transport = transport;
        this.timeline = timeline;
        this.retries = retries;
        this.timeout = timeout;
        this.patience = timeout.multipliedBy(2);
        this.maxInFlight = maxInFlight;
        this.inFlight = new Semaphore(maxInFlight);
    }

    /** One message until its end. */
    private final class Sending {
        final OutboundMessage message;
        final CompletableFuture<Void> result = new CompletableFuture<>();
        final long deadline = timeline.nanoTime() + timeout.toNanos();
        Duration backOff = FIRST_BACK_OFF;
        private volatile Timeline.@Nullable Cancellable limit;

        Sending(OutboundMessage message) {
            this.message = message;
        }

        void attempt() {
            CompletableFuture<Void> unused = sendOnce(message).whenComplete((none, failure) -> {
                Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
                if (cause == null) {
                    result.complete(null);
                } else if (cause instanceof ConnectionLostException && !stopped) {
                    againAfter(cause);
                } else {
                    result.completeExceptionally(cause);
                }
            });
        }

        /** The first loss sets the limit for all further attempts: most messages need none. */
        private void againAfter(Throwable cause) {
            long left = deadline - timeline.nanoTime();
            if (left <= backOff.toNanos()) {
                result.completeExceptionally(cause);
                return;
            }
            if (retrying.add(this)) {
                limit = timeline.schedule(Duration.ofNanos(left), () -> result.completeExceptionally(cause));
            }
            timeline.schedule(backOff, this::attemptOnRetries);
            Duration doubled = backOff.multipliedBy(2);
            backOff = doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
        }

        private void attemptOnRetries() {
            if (result.isDone()) {
                return;
            }
            try {
                retries.execute(this::attempt);
            } catch (RejectedExecutionException e) {
                result.completeExceptionally(new ConnectionLostException(message.publication(), "shutting down", e));
            }
        }

        void ended() {
            inFlight.release();
            retrying.remove(this);
            Timeline.Cancellable pending = limit;
            if (pending != null) { // else it would hold the message until then
                pending.cancel();
            }
        }
    }

    /** Completes when confirmed, or with a {@link io.safebunny.failure.PublishException}; perhaps on an I/O thread. */
    public CompletableFuture<Void> send(OutboundMessage message) {
        try {
            if (!inFlight.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return CompletableFuture.failedFuture(new PublishTimeoutException(
                        message.publication(),
                        timeout,
                        "one of %d places for unconfirmed publications (safebunny.publisher.max-in-flight)"
                                .formatted(maxInFlight)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(interrupted(message));
        }
        Sending sending = new Sending(message);
        CompletableFuture<Void> unused = sending.result.whenComplete((none, failure) -> sending.ended());
        sending.attempt();
        return sending.result;
    }

    /** A transport that throws would else leave the result of a scheduled attempt open for ever. */
    private CompletableFuture<Void> sendOnce(OutboundMessage message) {
        try {
            return transport.send(message);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Blocks until confirmed. */
    public void sendAndWait(OutboundMessage message) {
        try {
            timeline.await(send(message), patience);
        } catch (ExecutionException e) {
            throw rethrow(e.getCause());
        } catch (TimeoutException e) {
            throw new PublishTimeoutException(message.publication(), patience, "the transport");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(message);
        }
    }

    private static PublishTimeoutException interrupted(OutboundMessage message) {
        return PublishTimeoutException.interrupted(message.publication(), "the confirm");
    }

    /** One after the other, so that the order of publishing is the order in the queue. */
    public void sendAllAndWait(List<OutboundMessage> messages) {
        for (OutboundMessage message : messages) {
            sendAndWait(message);
        }
    }

    /** Sends nothing again from now on, because the connections are about to be closed for good. */
    public void stop() {
        stopped = true;
        for (Sending sending : retrying) {
            sending.result.completeExceptionally(
                    new ConnectionLostException(sending.message.publication(), "shutting down", null));
        }
    }

    private static RuntimeException rethrow(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
}
