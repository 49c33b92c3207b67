// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.rabbit.PublisherChannel.Pending;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of publisher channels shared by all publishing threads. A channel is taken for the write only and confirms
 * are pipelined, so that many callers share few round trips; the most recently used channel is taken first. A caller that
 * finds no place waits until the deadline. Thread-safe.
 */
final class PublisherPool {

    private static final Duration SWEEP = Duration.ofMillis(200);

    private final ConnectionKeeper connection;
    private final Timeline timeline;
    private final Duration timeout;
    private final List<Slot> slots;
    private final BlockingDeque<Slot> free;
    private volatile boolean closed;

    PublisherPool(ConnectionKeeper connection, Timeline timeline, RabbitTransportOptions options) {
        this.connection = connection;
        this.timeline = timeline;
        this.timeout = options.publishTimeout();
        this.slots = IntStream.range(0, options.maxConcurrency())
                .mapToObj(index -> new Slot())
                .toList();
        this.free = new LinkedBlockingDeque<>(slots);
    }

    /** Holds a channel once one was opened. */
    private static final class Slot {
        private volatile @Nullable PublisherChannel channel;

        PublisherChannel channel(Connection connection) throws IOException {
            PublisherChannel opened = channel;
            if (opened == null || !opened.isOpen()) {
                opened = PublisherChannel.open(connection);
                channel = opened;
            }
            return opened;
        }
    }

    void start() {
        timeline.schedule(SWEEP, this::sweep);
    }

    CompletableFuture<Void> publish(
            Publication publication, Destination destination, BasicProperties properties, byte[] body) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        long deadline = timeline.nanoTime() + timeout.toNanos();
        try {
            if (!connection.awaitUnblocked(timeout)) {
                future.completeExceptionally(new PublishTimeoutException(
                        publication, timeout, "the broker to unblock the connection (memory or disk alarm)"));
                return future;
            }
            Slot slot = free.pollFirst(Math.max(0, deadline - timeline.nanoTime()), TimeUnit.NANOSECONDS);
            if (slot == null) {
                future.completeExceptionally(new PublishTimeoutException(
                        publication,
                        timeout,
                        "one of %d publisher channels (safebunny.publisher.max-concurrency)".formatted(slots.size())));
                return future;
            }
            try {
                write(slot, new Pending(publication, destination, future, deadline), properties, body);
            } finally {
                free.addFirst(slot);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            future.completeExceptionally(new PublishTimeoutException(
                    publication, Duration.ZERO, "a publisher channel, because the thread was interrupted"));
        }
        return future;
    }

    private void write(Slot slot, Pending message, BasicProperties properties, byte[] body) {
        Connection open = closed ? null : connection.current();
        if (open == null) {
            message.future.completeExceptionally(
                    new ConnectionLostException(message.publication, closed ? "closed" : "not connected", null));
            return;
        }
        try {
            slot.channel(open).publish(message, properties, body);
        } catch (IOException | ShutdownSignalException e) {
            message.future.completeExceptionally(
                    new ConnectionLostException(message.publication, Channels.explain(e), e));
        }
    }

    private void sweep() {
        long now = timeline.nanoTime();
        for (Slot slot : slots) {
            PublisherChannel channel = slot.channel;
            if (channel != null) {
                channel.expire(now, timeout);
            }
        }
        if (!closed) {
            timeline.schedule(SWEEP, this::sweep);
        }
    }

    void close() {
        closed = true;
    }
}
