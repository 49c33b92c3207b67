// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
 * <p>Spring's own containers either bind a thread and channel to every place, or close the channel on cancel while deliveries
 * are still being handled; see {@code docs/decisions/0004-listener-container.md}.
 */
final class QueueContainer extends AbstractMessageListenerContainer {

    private static final Logger LOG = LoggerFactory.getLogger(QueueContainer.class);
    private static final Duration RESUBSCRIBE_DELAY = Duration.ofSeconds(1);

    private final String queue;
    private final Supplier<@Nullable Connection> connection;
    private final Executor workers;
    private final Timeline timeline;
    private final Object lock = new Object();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private @Nullable Subscriber subscriber;
    private int running;
    private boolean stopping;

    QueueContainer(
            String queue,
            int prefetch,
            DeliveryHandler pipeline,
            ConnectionFactory factory,
            Supplier<@Nullable Connection> connection,
            Executor workers,
            Timeline timeline) {
        this.queue = queue;
        this.connection = connection;
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

    /** Consumes on the current connection, unless it does already; called again after every reconnect. */
    void subscribe() {
        synchronized (lock) {
            Connection open = connection.get();
            if (stopping || open == null || (subscriber != null && subscriber.isAlive())) {
                return;
            }
            try {
                Channel channel = Channels.open(open);
                Subscriber fresh = new Subscriber(channel);
                channel.addShutdownListener(cause -> resubscribe(fresh, cause));
                channel.basicQos(getPrefetchCount());
                channel.basicConsume(queue, false, fresh);
                subscriber = fresh;
            } catch (IOException | ShutdownSignalException e) {
                LOG.warn("Cannot consume queue '{}': {}. Trying again", queue, Channels.explain(e));
                timeline.schedule(RESUBSCRIBE_DELAY, this::subscribeOnWorker);
            }
        }
    }

    private void subscribeOnWorker() {
        try {
            workers.execute(this::subscribe);
        } catch (RejectedExecutionException e) {
            LOG.debug("Not consuming queue '{}' again: shutting down", queue, e);
        }
    }

    private void resubscribe(Subscriber lost, ShutdownSignalException cause) {
        lost.cutOff();
        if (cause.isInitiatedByApplication() || cause.isHardError()) {
            return; // stopped, or the connection is gone and its keeper calls subscribe()
        }
        LOG.warn("The broker closed the channel of queue '{}': {}. Consuming again", queue, Channels.explain(cause));
        timeline.schedule(RESUBSCRIBE_DELAY, this::subscribeOnWorker);
    }

    private void deliver(Channel channel, RabbitDelivery delivery) {
        synchronized (lock) {
            if (stopping) {
                delivery.handBack();
                return;
            }
            running++;
        }
        try {
            workers.execute(() -> {
                try {
                    invokeListener(channel, delivery);
                } finally {
                    finished();
                }
            });
        } catch (RejectedExecutionException e) {
            delivery.handBack();
            finished();
        }
    }

    private void finished() {
        synchronized (lock) {
            running--;
        }
        completeIfDrained();
    }

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
        } else {
            completeIfDrained();
        }
    }

    /** Off the connection's threads, which must not wait for the broker; without workers there is no other thread. */
    private void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    private void completeIfDrained() {
        Subscriber last;
        synchronized (lock) {
            last = subscriber;
            if (!stopping || running > 0 || (last != null && last.isAlive() && !last.cancelled)) {
                return;
            }
        }
        if (last != null) {
            Channels.closeQuietly(last.getChannel());
        }
        drained.complete(null);
    }

    /** The consumer of one channel. */
    private final class Subscriber extends DefaultConsumer {

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
            deliver(getChannel(), new RabbitDelivery(getChannel(), envelope.getDeliveryTag(), message, () -> cut));
        }

        void cancel() {
            try {
                getChannel().basicCancel(getConsumerTag());
            } catch (IOException | ShutdownSignalException e) {
                LOG.debug("The consumer of queue '{}' was gone already", queue, e);
                cutOff();
            }
        }

        /** Comes after the last delivery, on the same thread. */
        @Override
        public void handleCancelOk(String tag) {
            cancelled = true;
            onWorker(QueueContainer.this::completeIfDrained);
        }

        /** The broker ended this consumer: what it had is the broker's again, and must not be settled any more. */
        @Override
        public void handleCancel(String tag) {
            LOG.warn(
                    "The broker cancelled the consumer of queue '{}' (queue deleted or moved, or a message was held too long). Consuming again",
                    queue);
            cutOff();
            onWorker(() -> Channels.closeQuietly(getChannel()));
            timeline.schedule(RESUBSCRIBE_DELAY, QueueContainer.this::subscribeOnWorker);
        }

        void cutOff() {
            cut = true;
            completeIfDrained();
        }
    }
}
