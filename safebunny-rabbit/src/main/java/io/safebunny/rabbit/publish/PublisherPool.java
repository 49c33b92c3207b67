// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.concurrency.RecurringTask;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of publisher channels shared by all publishing threads. A channel is lent for the write only and confirms are pipelined,
 * so many callers share few round trips. Messages with one order key go through one channel, in the order of the calls: the broker keeps
 * an order only within a channel. All others take the first channel that is free, so that few are used. A caller that finds none free
 * waits until its deadline. Thread-safe.
 */
public final class PublisherPool {

    private static final Duration SWEEP = Duration.ofMillis(200);

    private final ConnectionKeeper connection;
    private final Timeline timeline;
    private final List<PublisherSlot> slots;
    /** Who may use which slot. */
    private final Places places;

    private final RecurringTask sweeps;
    private volatile boolean closed;

    /** @param repair declares what is missing when the broker no longer knows an exchange */
    public PublisherPool(
            ConnectionKeeper connection, ConnectionKeeper.Preparation repair, Timeline timeline, int maxConcurrency) {
        this.connection = connection;
        this.timeline = timeline;
        this.slots = IntStream.range(0, maxConcurrency)
                .mapToObj(index -> new PublisherSlot(repair, timeline))
                .toList();
        this.places = new Places(maxConcurrency);
        this.sweeps = new RecurringTask(
                "expiring publications without a confirm", SWEEP, this::sweep, Runnable::run, timeline);
    }

    /**
     * A message ready to be written.
     *
     * @param headers the message's own headers and those that steer it
     * @param user broker user for the property {@code user_id}; {@code null} for none
     */
    public record Outgoing(
            Destination destination,
            WireMessage message,
            Map<String, Object> headers,
            @Nullable String user) {}

    /** Prepares the message. Called when a channel is free, because preparing may require declarations on the broker. */
    @FunctionalInterface
    public interface Source {
        Outgoing get() throws IOException;
    }

    public void start() {
        sweeps.start();
    }

    /** Publishes a message that has no order key of its own. */
    public CompletableFuture<Void> publish(Publication publication, Source source, Deadline deadline) {
        return publish(publication, null, source, deadline);
    }

    /**
     * @param orderKey what the message shares with those that it must follow; {@code null} for none
     * @param deadline for waiting for a channel, writing, and the confirm together
     */
    public CompletableFuture<Void> publish(
            Publication publication, @Nullable String orderKey, Source source, Deadline deadline) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        try {
            if (!connection.awaitUnblocked(deadline)) {
                future.completeExceptionally(new PublishTimeoutException(
                        publication,
                        deadline.timeout(),
                        "the broker to unblock the connection (memory or disk alarm)"));
                return future;
            }
            int place = places.take(orderKey, deadline);
            if (place == Places.NONE) {
                future.completeExceptionally(
                        new PublishTimeoutException(publication, deadline.timeout(), missing(orderKey)));
                return future;
            }
            try {
                write(slots.get(place), publication, source, future, deadline);
            } finally {
                places.leave(place);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            future.completeExceptionally(PublishTimeoutException.interrupted(publication, "a publisher channel"));
        }
        return future;
    }

    /** For what a caller has waited in vain. */
    private String missing(@Nullable String orderKey) {
        return "%s of %s publisher channels (safebunny.publisher.max-concurrency)"
                .formatted(orderKey == null ? "one" : "the one for its order key", slots.size());
    }

    private void write(
            PublisherSlot slot,
            Publication publication,
            Source source,
            CompletableFuture<Void> future,
            Deadline deadline) {
        Connection open = closed ? null : connection.current();
        if (open == null) {
            future.completeExceptionally(
                    new ConnectionLostException(publication, closed ? "closed" : "not connected", null));
            return;
        }
        try {
            slot.write(open, publication, source, future, deadline);
        } catch (InvalidPublicationException | ConfigurationException e) {
            future.completeExceptionally(e);
        } catch (IOException | ShutdownSignalException e) {
            future.completeExceptionally(new ConnectionLostException(publication, Channels.explain(e), e));
        }
    }

    private void sweep() {
        slots.forEach(PublisherSlot::expire);
        cutIfStuck(timeline.nanoTime());
    }

    /**
     * Cuts the connection if a write is stuck: a thread that writes to a socket from which the broker does not read blocks until the socket
     * is closed.
     */
    private void cutIfStuck(long now) {
        if (slots.stream().allMatch(slot -> slot.isQuiet(now))) {
            slots.stream()
                    .map(slot -> slot.overdue(now))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .ifPresent(connection::cut);
        }
    }

    public void close() {
        closed = true;
        sweeps.stop();
    }
}
