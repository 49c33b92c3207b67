// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.NackedException;
import io.safebunny.identity.RandomIds;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.rabbit.topology.Declarations;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.topology.Topology;
import io.safebunny.transport.ControlChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Connects the instances of a node: each has an exclusive queue, bound with the node's name to a topic exchange, so that topic permissions
 * apply. The queue has its own channel on the consuming connection. Announcements are sent through the publishing connection, because a
 * broker alarm blocks the connection that publishes. Failures here are retried in the background and never affect the consumers.
 * Thread-safe.
 */
final class RabbitControl implements ControlChannel {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitControl.class);

    private static final Duration TELLING = Duration.ofSeconds(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    /** Delay after a refusal. Long, because the broker logs an error for each. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(5);

    /** Old announcements are worthless, and in a flood the broker should drop the oldest rather than deliver all. */
    private static final Map<String, Object> BOUNDS = Map.of("x-message-ttl", 10_000, "x-max-length", 1_000);

    private static final int AT_ONCE = 20;

    private final RabbitSender sender;
    private final Supplier<@Nullable Connection> connection;
    private final DeclaredTopology declared;
    private final Executor workers;
    private final Timeline timeline;
    private final SerialTask joining;

    private volatile @Nullable Consumer<byte[]> listener;
    private volatile @Nullable Channel channel;
    private volatile boolean isStale;
    private volatile Problem joins = new Problem("not connected", false, 0);
    private volatile @Nullable Problem tells;

    /** @param until time of the next try, by the monotonic clock */
    private record Problem(String words, boolean refused, long until) {}

    /** @param connection the current one; {@code null} while disconnected */
    RabbitControl(
            RabbitSender sender,
            Supplier<@Nullable Connection> connection,
            DeclaredTopology declared,
            Executor workers,
            Timeline timeline) {
        this.sender = sender;
        this.connection = connection;
        this.declared = declared;
        this.workers = workers;
        this.timeline = timeline;
        this.joining = new SerialTask("joining the other instances of the node", this::join, workers, timeline);
    }

    /** Joins the other instances: before it returns if there is a connection, otherwise as soon as there is one. */
    void listen(Consumer<byte[]> heard) {
        listener = heard;
        join();
    }

    /** Call on every new connection. Does not block. */
    void connected() {
        if (listener != null) {
            joining.request();
        }
    }

    void close() {
        joining.stop();
    }

    private synchronized void join() {
        Consumer<byte[]> heard = listener;
        Connection present = connection.get();
        if (heard == null || present == null || (isOpenOn(present) && !isStale)) {
            return;
        }
        Channel opened = null;
        closePresent();
        try {
            Topology planned = declared.require();
            String exchange = planned.options().controlExchange();
            try (Declarations broker = Declarations.on(present, planned)) {
                boolean unused = broker.exchange(exchange, "topic", Map.of());
            }
            opened = Channels.open(present);
            // set before the channel can be closed, so that its shutdown listener recognises it
            channel = opened;
            isStale = false;
            consume(opened, exchange, planned.node(), heard);
        } catch (IOException | RuntimeException e) {
            if (opened != null) {
                Channels.closeQuietly(opened);
            }
            joins = failed(joins, isRefusal(e), e);
            joining.requestAfter(Duration.ofNanos(joins.until - timeline.nanoTime()), Purpose.UPKEEP);
        }
    }

    private void closePresent() {
        Channel present = channel;
        channel = null;
        if (present != null) {
            Channels.closeQuietly(present);
        }
    }

    private void consume(Channel opened, String exchange, String node, Consumer<byte[]> heard) throws IOException {
        // a new name each time: if the broker has not noticed yet that the old connection is gone, it still has that
        // connection's queue
        String queue = node + "-control-" + RandomIds.next(timeline.random());
        opened.queueDeclare(queue, false, true, true, BOUNDS);
        opened.queueBind(queue, exchange, node);
        opened.basicQos(AT_ONCE);
        opened.basicConsume(
                queue,
                false,
                (tag, delivery) -> onWorker(() -> {
                    heard.accept(delivery.getBody());
                    acknowledge(opened, delivery);
                }),
                tag -> onWorker(() -> Channels.closeQuietly(opened)));
        opened.addShutdownListener(cause -> {
            if (channel == opened) {
                rejoin();
            }
        });
    }

    /** Runs the task on a worker, because the connection's own thread must not wait for the broker. */
    private void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("This instance is stopping and hears no more of the others", e);
        }
    }

    private static void acknowledge(Channel opened, Delivery delivery) {
        try {
            opened.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        } catch (IOException | ShutdownSignalException e) {
            LOG.debug("Cannot acknowledge an announcement: its channel is closed", e);
        }
    }

    private boolean isOpenOn(Connection connection) {
        Channel present = channel;
        return present != null && present.isOpen() && present.getConnection() == connection;
    }

    private static boolean isRefusal(Exception failure) {
        AMQP.Channel.Close close = Channels.closeReason(failure);
        return failure instanceof ConfigurationException
                || (close != null
                        && (close.getReplyCode() == AMQP.ACCESS_REFUSED || close.getReplyCode() == AMQP.NOT_FOUND));
    }

    private Problem failed(@Nullable Problem before, boolean refused, Throwable failure) {
        String words = failure instanceof ConfigurationException
                ? String.valueOf(failure.getMessage())
                : Channels.explain(failure);
        if (before == null || !before.words.equals(words)) {
            LOG.atLevel(refused ? Level.WARN : Level.DEBUG)
                    .log(
                            "The instances of this node cannot notify each other of paused types: {}. With a store they still read it every few"
                                    + " seconds. Grant what docs/permissions.md lists",
                            words);
        }
        return new Problem(words, refused, timeline.nanoTime() + (refused ? AFTER_REFUSAL : AFTER_FAILURE).toNanos());
    }

    @Override
    public @Nullable String problem() {
        Problem telling = tells;
        if (telling != null) {
            return telling.words;
        }
        Channel present = channel;
        return present != null && present.isOpen() ? null : joins.words;
    }

    @Override
    public CompletableFuture<Void> tell(byte[] message) {
        Problem before = tells;
        if (before != null && before.refused && timeline.nanoTime() - before.until < 0) {
            return CompletableFuture.failedFuture(new IOException(before.words));
        }
        CompletableFuture<Void> sent = sender.announce(message, Deadline.after(TELLING, timeline));
        return sent.whenComplete((none, failure) -> {
            tells = failure == null ? null : failed(before, isForbidden(failure), failure);
            if (failure != null) {
                // the broker may have lost the exchange, and the binding with it
                rejoin();
            }
        });
    }

    private static boolean isForbidden(Throwable failure) {
        return failure instanceof NackedException
                && String.valueOf(failure.getMessage()).contains("ACCESS_REFUSED");
    }

    private void rejoin() {
        isStale = true;
        joining.requestAfter(AFTER_FAILURE, Purpose.UPKEEP);
    }
}
