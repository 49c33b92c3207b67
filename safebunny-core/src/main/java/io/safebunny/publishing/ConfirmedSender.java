// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends until confirmed or out of time. A lost connection leaves the fate of a message unknown, so it is sent again with the
 * same id; a refusal is final. Thread-safe.
 */
public final class ConfirmedSender {

    private static final Duration FIRST_BACK_OFF = Duration.ofMillis(100);
    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(2);

    private final Transport transport;
    private final Timeline timeline;
    private final Duration timeout;
    private final Executor retries;

    /** @param retries sends again; sending may block, so this is not the timeline's thread */
    public ConfirmedSender(Transport transport, Timeline timeline, Duration timeout, Executor retries) {
        this.transport = transport;
        this.timeline = timeline;
        this.timeout = timeout;
        this.retries = retries;
    }

    /** Completes when confirmed, or with a {@link io.safebunny.failure.PublishException}; perhaps on an I/O thread. */
    public CompletableFuture<Void> send(OutboundMessage message) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        attempt(message, result, timeline.nanoTime() + timeout.toNanos(), FIRST_BACK_OFF);
        return result;
    }

    private void attempt(OutboundMessage message, CompletableFuture<Void> result, long deadline, Duration backOff) {
        CompletableFuture<Void> unused = sendOnce(message).whenComplete((none, failure) -> {
            Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
            if (cause == null) {
                result.complete(null);
            } else if (cause instanceof ConnectionLostException && deadline - timeline.nanoTime() > backOff.toNanos()) {
                timeline.schedule(backOff, () -> {
                    try {
                        retries.execute(() -> attempt(message, result, deadline, longer(backOff)));
                    } catch (RejectedExecutionException e) { // shutting down
                        result.completeExceptionally(cause);
                    }
                });
            } else {
                result.completeExceptionally(cause);
            }
        });
    }

    /** A transport that throws would else leave the result of a scheduled attempt open for ever. */
    private CompletableFuture<Void> sendOnce(OutboundMessage message) {
        try {
            return transport.send(message);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Duration longer(Duration backOff) {
        Duration doubled = backOff.multipliedBy(2);
        return doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
    }

    /** Blocks until confirmed. */
    public void sendAndWait(OutboundMessage message) {
        await(message, send(message));
    }

    /** One after the other, so that the order of publishing is the order in the queue. */
    public void sendAllAndWait(List<OutboundMessage> messages) {
        for (OutboundMessage message : messages) {
            sendAndWait(message);
        }
    }

    private void await(OutboundMessage message, CompletableFuture<Void> future) {
        Duration patience = timeout.multipliedBy(2);
        try {
            timeline.await(future, patience);
        } catch (ExecutionException e) {
            throw rethrow(e.getCause());
        } catch (TimeoutException e) {
            throw new PublishTimeoutException(message.publication(), patience, "the transport");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PublishTimeoutException(
                    message.publication(), Duration.ZERO, "the confirm, because the thread was interrupted");
        }
    }

    static RuntimeException rethrow(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
}
