// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/**
 * Spring AMQP listener container of one queue: one channel, one consumer, up to {@code prefetch} deliveries handled at once on
 * worker threads. The consume pipeline is the container's advice; it settles every delivery itself and never proceeds.
 *
 * <p>The lock guards state only: no call to the broker is made under it, and the connection's own threads wait for nothing.
 * Why not Spring's own containers: {@code docs/decisions/0004-listener-container.md}.
 */
final class QueueContainer extends AbstractMessageListenerContainer {

    private static final Logger LOG = LoggerFactory.getLogger(QueueContainer.class);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private final String queue;
    private final Supplier<@Nullable Connection> connection;
    private final ConnectionKeeper.Preparation repair;
    private final Executor workers;
    private final Timeline timeline;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final AtomicBoolean retryPlanned = new AtomicBoolean();

    private final Object lock = new Object();
    private @Nullable Subscriber subscriber;
    private boolean subscribing;
    private boolean failedBefore;
    private int running;
    private volatile boolean stopping;

    /**
     * @param connection the open one, {@code null} while there is none
     * @param repair declares the queue again when it is gone
     */
    QueueContainer(
            String queue,
            int prefetch,
            DeliveryHandler pipeline,
            ConnectionFactory factory,
            Supplier<@Nullable Connection> connection,
            ConnectionKeeper.Preparation repair,
            Executor workers,
            Timeline timeline) {
        this.queue = queue;
        this.connection = connection;
        this.repair = repair;
        this.workers = workers;
        this.timeline = timeline;
        setConnectionFactory(factory);
        setQueueNames(queue);
        setPrefetchCount(prefetch);
        setAcknowledgeMode(AcknowledgeMode.MANUAL);
        setAutoDeclare(false);
        setAdviceChain((MethodInterceptor) invocation -> {
            pipeline.handle((Delivery) invocation.getArguments()[1]);
            return null;
        });
    }

    String queue() {
        return queue;
    }

    boolean isConsuming() {
        synchronized (lock) {
            return stopping || (subscriber != null && subscriber.isAlive());
        }
    }

    @Override
    protected void doInitialize() {}

    /** The keeper of the connection checks the topology. */
    @Override
    protected void checkMismatchedQueues() {}

    @Override
    protected void doStart() {
        super.doStart();
        subscribe();
    }

    // ---- subscribing

    /** On a worker; when none is free now, later. */
    void subscribeSoon() {
        try {
            workers.execute(this::subscribe);
        } catch (RejectedExecutionException e) {
            retryLater();
        }
    }

    private void retryLater() {
        if (!stopping && retryPlanned.compareAndSet(false, true)) {
            timeline.schedule(RETRY_DELAY, () -> {
                retryPlanned.set(false);
                subscribeSoon();
            });
        }
    }

    /** Consumes on the current connection, unless it does already. Without a connection its keeper calls again. */
    private void subscribe() {
        Connection open = connection.get();
        boolean repairFirst;
        synchronized (lock) {
            if (open == null || stopping || subscribing || (subscriber != null && subscriber.isAlive())) {
                return;
            }
            subscribing = true;
            repairFirst = failedBefore;
        }
        Subscriber fresh = null;
        try {
            if (repairFirst) {
                repair.prepare(open);
            }
            fresh = consume(open);
        } catch (IOException | ShutdownSignalException | ConfigurationException e) {
            LOG.warn("Cannot consume queue '{}': {}. Trying again", queue, Channels.explain(e));
        } finally {
            subscribed(fresh);
        }
    }

    private Subscriber consume(Connection open) throws IOException {
        Channel channel = Channels.open(open);
        try {
            Subscriber fresh = new Subscriber(channel);
            channel.addShutdownListener(cause -> lost(fresh, cause));
            channel.basicQos(getPrefetchCount());
            channel.basicConsume(queue, false, fresh);
            return fresh;
        } catch (IOException | ShutdownSignalException e) {
            Channels.closeQuietly(channel);
            throw e;
        }
    }

    private void subscribed(@Nullable Subscriber fresh) {
        boolean stop;
        synchronized (lock) {
            subscribing = false;
            failedBefore = fresh == null;
            if (fresh != null) {
                subscriber = fresh;
            }
            stop = stopping;
        }
        if (stop && fresh != null) {
            fresh.cancel();
        } else if (fresh == null || !fresh.isAlive()) {
            retryLater();
        }
        completeIfDrained();
    }

    /** On the connection's thread. */
    private void lost(Subscriber old, ShutdownSignalException cause) {
        old.cut = true;
        if (!stopping && !cause.isHardError() && !cause.isInitiatedByApplication()) {
            LOG.warn(
                    "The broker closed the channel of queue '{}': {}. Consuming again", queue, Channels.explain(cause));
        }
        onWorker(this::completeIfDrained);
        retryLater();
    }

    // ---- handling

    private void handle(Subscriber from, RabbitDelivery delivery) {
        synchronized (lock) {
            if (stopping) {
                from.late.add(delivery);
                return;
            }
            running++;
        }
        try {
            workers.execute(() -> {
                try {
                    invokeListener(from.getChannel(), delivery);
                } finally {
                    finished();
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread now
            LOG.warn("No thread for a delivery of queue '{}'; it goes back in {} ms", queue, RETRY_DELAY.toMillis(), e);
            timeline.schedule(RETRY_DELAY, () -> onWorker(delivery::handBack));
            finished();
        }
    }

    private void finished() {
        synchronized (lock) {
            running--;
        }
        completeIfDrained();
    }

    // ---- stopping

    /** Cancels the consumer, waits for what is being handled, and only then closes the channel. */
    CompletableFuture<Void> drainAndStop() {
        shutdown(null);
        return drained.copy();
    }

    @Override
    protected void shutdownAndWaitOrCallback(@Nullable Runnable callback) {
        Subscriber active;
        synchronized (lock) {
            stopping = true;
            active = subscriber;
        }
        if (callback != null) {
            CompletableFuture<Void> unused = drained.thenRun(callback);
        }
        if (active != null && active.isAlive()) {
            onWorker(active::cancel);
        }
        onWorker(this::completeIfDrained);
    }

    private void completeIfDrained() {
        Subscriber last;
        synchronized (lock) {
            last = subscriber;
            if (!stopping || subscribing || running > 0 || (last != null && last.isAlive() && !last.cancelled)) {
                return;
            }
        }
        if (last != null) {
            Channels.closeQuietly(last.getChannel());
        }
        drained.complete(null);
    }

    /** Off the connection's threads, which must not wait for the broker; without workers there is only this thread. */
    private void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** The consumer of one channel. */
    private final class Subscriber extends DefaultConsumer {

        /** Delivered after stopping began; they go back when no more can come, or they would come again at once. */
        private final Queue<RabbitDelivery> late = new ConcurrentLinkedQueue<>();

        private volatile boolean cancelled;
        private volatile boolean cut;

        Subscriber(Channel channel) {
            super(channel);
        }

        boolean isAlive() {
            return getChannel().isOpen() && !cut;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            IncomingMessage message = new IncomingMessage(
                    queue,
                    envelope.getExchange(),
                    envelope.getRoutingKey(),
                    envelope.isRedeliver(),
                    AmqpMessages.read(properties, body));
            handle(this, new RabbitDelivery(getChannel(), envelope.getDeliveryTag(), message, () -> cut));
        }

        void cancel() {
            try {
                getChannel().basicCancel(getConsumerTag());
            } catch (IOException | ShutdownSignalException e) {
                LOG.debug("The consumer of queue '{}' was gone already", queue, e);
                cut = true;
                completeIfDrained();
            }
        }

        /** Comes after the last delivery, on the same thread. */
        @Override
        public void handleCancelOk(String tag) {
            onWorker(() -> {
                for (RabbitDelivery delivery = late.poll(); delivery != null; delivery = late.poll()) {
                    delivery.handBack();
                }
                cancelled = true;
                completeIfDrained();
            });
        }

        /** The broker ended this consumer: what it had is the broker's again, and must not be settled any more. */
        @Override
        public void handleCancel(String tag) {
            LOG.warn(
                    "The broker cancelled the consumer of queue '{}' (queue deleted or moved, or a message was held too long). Consuming again",
                    queue);
            cut = true;
            onWorker(() -> {
                Channels.closeQuietly(getChannel());
                completeIfDrained();
            });
            retryLater();
        }
    }
}
