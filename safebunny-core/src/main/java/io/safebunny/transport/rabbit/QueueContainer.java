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
import io.safebunny.transport.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
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
 * Spring AMQP listener container of one queue: one channel, up to {@code prefetch} deliveries handled at once on worker
 * threads. The consume pipeline is the container's advice; it settles every delivery itself and never proceeds.
 *
 * <p>On a new channel the broker may give one message at a time, until it gives one that did not come back again and again: a
 * message that ends its process must not use up the delivery limit of those beside it. Such a {@link #isSuspicious suspicious}
 * one is handled alone.
 *
 * <p>The lock guards state only: no call to the broker is made under it, and the connection's own threads wait for nothing.
 * Why not Spring's own containers: {@code docs/decisions/0004-listener-container.md}.
 */
final class QueueContainer extends AbstractMessageListenerContainer {

    private static final Logger LOG = LoggerFactory.getLogger(QueueContainer.class);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    /** Failed deliveries after which a message may be the cause of its failures: a cut connection costs one or two. */
    private static final int SUSPICIOUS = 3;

    /** How long a suspicious message waits for the others to finish. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String queue;
    private final Supplier<@Nullable Connection> connection;
    private final ConnectionKeeper.Preparation repair;
    private final Executor workers;
    private final Timeline timeline;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final AtomicBoolean retryPlanned = new AtomicBoolean();

    private final Object lock = new Object();
    // guarded by the lock
    private final Deque<RabbitDelivery> waiting = new ArrayDeque<>();
    private @Nullable Session session;
    private Pace pace = Pace.FULL;
    private boolean cautious = true;
    private boolean suspectRuns;
    private @Nullable Long suspectWaitsSince;
    private int running;
    private boolean adjusting;
    private boolean adjustAgain;
    private volatile boolean stopping;

    /** Only the thread that adjusts uses it. */
    private boolean failedBefore;

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

    /** Or is not meant to. */
    boolean isConsuming() {
        synchronized (lock) {
            return stopping || pace == Pace.PAUSED || (session != null && session.isAlive());
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
        adjust();
    }

    void setPace(Pace wanted) {
        synchronized (lock) {
            pace = wanted;
        }
        adjustSoon();
    }

    // ---- consuming as much as is wanted

    /** On a worker; when none is free now, later. */
    void adjustSoon() {
        try {
            workers.execute(this::adjust);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            retryLater();
        }
    }

    private void retryLater() {
        if (!stopping && retryPlanned.compareAndSet(false, true)) {
            timeline.schedule(RETRY_DELAY, () -> {
                retryPlanned.set(false);
                adjustSoon();
            });
        }
    }

    /** One thread at a time; the others leave it to that one. Without a connection its keeper calls again. */
    private void adjust() {
        synchronized (lock) {
            adjustAgain = true;
            if (adjusting) {
                return;
            }
            adjusting = true;
        }
        while (isToAdjust()) {
            if (!adjustOnce()) {
                retryLater();
            }
        }
        completeIfDrained();
    }

    private boolean isToAdjust() {
        synchronized (lock) {
            adjusting = adjustAgain;
            adjustAgain = false;
            return adjusting;
        }
    }

    /** @return whether there is nothing to try again */
    private boolean adjustOnce() {
        Session present;
        int wanted;
        synchronized (lock) {
            present = session;
            if (present != null && !present.isAlive()) {
                session = null;
                present = null;
                cautious = true;
            }
            wanted = wantedPrefetch();
        }
        Connection open = connection.get();
        if (open == null || (present == null ? 0 : present.prefetch) == wanted) {
            return true;
        }
        try {
            if (present == null && failedBefore) {
                repair.prepare(open);
            }
            failedBefore = true;
            Session current = present == null ? openSession(open) : present;
            current.cancel();
            current.consume(wanted);
            failedBefore = false;
            return true;
        } catch (IOException | ShutdownSignalException | ConfigurationException e) {
            LOG.warn("Cannot consume queue '{}': {}. Trying again", queue, Channels.explain(e));
            return false;
        } catch (RuntimeException | OutOfMemoryError e) { // whatever it was, nobody else would try again
            LOG.error("Cannot consume queue '{}'. Trying again", queue, e);
            return false;
        }
    }

    /** Prefetch of the consumer there should be now, 0 for none. Under the lock. */
    private int wantedPrefetch() {
        int present = session == null ? 0 : session.prefetch;
        if (stopping || pace == Pace.PAUSED) {
            return 0;
        }
        if (suspectRuns || waiting.stream().anyMatch(QueueContainer::isSuspicious)) {
            return present == 1 ? 1 : 0; // beside it the broker gives nothing more
        }
        if (present == 0 && running + waiting.size() >= getPrefetchCount()) {
            return 0; // earlier consumers brought as many as may be handled at once
        }
        return pace == Pace.ONE_BY_ONE || cautious ? 1 : getPrefetchCount();
    }

    private boolean isOutOfLine() {
        return (session == null ? 0 : session.prefetch) != wantedPrefetch();
    }

    private Session openSession(Connection open) throws IOException {
        Channel channel = Channels.open(open);
        Session fresh = new Session(channel);
        synchronized (lock) {
            session = fresh;
        }
        channel.addShutdownListener(cause -> lost(fresh, cause));
        return fresh;
    }

    /** On the connection's thread. */
    private void lost(Session old, ShutdownSignalException cause) {
        old.cut = true;
        if (!stopping && !cause.isHardError() && !cause.isInitiatedByApplication()) {
            LOG.warn(
                    "The broker closed the channel of queue '{}': {}. Consuming again", queue, Channels.explain(cause));
        }
        onWorker(this::completeIfDrained);
        retryLater();
    }

    // ---- handling

    /** Came back so often that it may be what ended the processes that handled it. */
    private static boolean isSuspicious(RabbitDelivery delivery) {
        return delivery.message().deliveryCount() >= SUSPICIOUS;
    }

    private void delivered(RabbitDelivery delivery, int prefetch) {
        boolean adjust;
        synchronized (lock) {
            if (isSuspicious(delivery)) {
                cautious = true;
            } else if (prefetch == 1) {
                cautious = false;
            }
            waiting.add(delivery);
            adjust = isOutOfLine();
        }
        startWaiting();
        if (adjust) {
            adjustSoon();
        }
    }

    private void startWaiting() {
        for (RabbitDelivery next = takeWaiting(); next != null; next = takeWaiting()) {
            RabbitDelivery delivery = next;
            try {
                workers.execute(() -> {
                    try {
                        invokeListener(delivery.channel(), delivery);
                    } finally {
                        finished(delivery);
                    }
                });
            } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread now
                LOG.warn("No thread for a delivery of queue '{}'; next try in {} ms", queue, RETRY_DELAY.toMillis(), e);
                synchronized (lock) {
                    waiting.addFirst(delivery);
                    ended(delivery);
                }
                timeline.schedule(RETRY_DELAY, this::startWaiting);
                return;
            }
        }
    }

    private @Nullable RabbitDelivery takeWaiting() {
        synchronized (lock) {
            RabbitDelivery next = waiting.peek();
            if (next == null) {
                return null;
            }
            boolean suspicious = isSuspicious(next);
            if (suspicious ? !mayRunAlone() : suspectRuns || running >= getPrefetchCount()) {
                return null;
            }
            running++;
            if (suspicious) {
                suspectRuns = true;
                suspectWaitsSince = null;
            }
            return waiting.poll();
        }
    }

    /** Or has waited long enough for handlers that do not return. Under the lock. */
    private boolean mayRunAlone() {
        if (running == 0) {
            return true;
        }
        Long since = suspectWaitsSince;
        if (since == null) {
            suspectWaitsSince = timeline.nanoTime();
            timeline.schedule(PATIENCE, this::startWaiting);
            return false;
        }
        return timeline.nanoTime() - since >= PATIENCE.toNanos();
    }

    /** Under the lock. */
    private void ended(RabbitDelivery delivery) {
        running--;
        if (isSuspicious(delivery)) {
            suspectRuns = false;
        }
    }

    private void finished(RabbitDelivery delivery) {
        boolean adjust;
        synchronized (lock) {
            ended(delivery);
            adjust = isOutOfLine();
        }
        startWaiting();
        if (adjust) {
            adjust();
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
        stopping = true;
        if (callback != null) {
            CompletableFuture<Void> unused = drained.thenRun(callback);
        }
        onWorker(this::adjust);
    }

    private void completeIfDrained() {
        Session last;
        synchronized (lock) {
            last = session;
            if (!stopping
                    || adjusting
                    || running > 0
                    || !waiting.isEmpty()
                    || (last != null && last.isAlive() && last.consumers > 0)) {
                return;
            }
        }
        if (last != null) {
            Channels.closeQuietly(last.channel);
        }
        drained.complete(null);
    }

    /** Off the connection's threads, which must not wait for the broker; without workers there is only this thread. */
    private void onWorker(Runnable task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        } catch (OutOfMemoryError e) {
            timeline.schedule(RETRY_DELAY, () -> onWorker(task));
        }
    }

    /** One channel with one consumer after the other. */
    private final class Session {

        private final Channel channel;
        private volatile boolean cut;

        /** Of the present consumer, 0 when there is none; written by the thread that adjusts. */
        private volatile int prefetch;

        /** Those that may still deliver; guarded by the lock. */
        private int consumers;

        private String tag = "";

        Session(Channel channel) {
            this.channel = channel;
        }

        boolean isAlive() {
            return channel.isOpen() && !cut;
        }

        void consume(int wanted) throws IOException {
            if (wanted == 0) {
                return;
            }
            try {
                channel.basicQos(wanted);
                synchronized (lock) {
                    consumers++;
                }
                tag = channel.basicConsume(queue, false, new SessionConsumer(this, wanted));
                prefetch = wanted;
            } catch (IOException | ShutdownSignalException e) {
                cut = true; // whether it consumes is not known
                Channels.closeQuietly(channel);
                throw e;
            }
        }

        void cancel() throws IOException {
            if (prefetch > 0) {
                channel.basicCancel(tag);
                prefetch = 0;
            }
        }
    }

    private final class SessionConsumer extends DefaultConsumer {

        private final Session session;
        private final int prefetch;

        SessionConsumer(Session session, int prefetch) {
            super(session.channel);
            this.session = session;
            this.prefetch = prefetch;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            IncomingMessage message = new IncomingMessage(
                    queue,
                    envelope.getExchange(),
                    envelope.getRoutingKey(),
                    envelope.isRedeliver(),
                    envelope.isRedeliver() ? AmqpMessages.deliveryCount(properties) : 0,
                    AmqpMessages.read(properties, body));
            delivered(
                    new RabbitDelivery(getChannel(), envelope.getDeliveryTag(), message, () -> session.cut), prefetch);
        }

        /** Comes after the last delivery, on the same thread. */
        @Override
        public void handleCancelOk(String tag) {
            synchronized (lock) {
                session.consumers--;
            }
            onWorker(QueueContainer.this::completeIfDrained);
        }

        /** The broker ended this consumer: what it had is the broker's again, and must not be settled any more. */
        @Override
        public void handleCancel(String tag) {
            LOG.warn(
                    "The broker cancelled the consumer of queue '{}' (queue deleted or moved, or a message was held too long). Consuming again",
                    queue);
            session.cut = true;
            onWorker(() -> {
                Channels.closeQuietly(getChannel());
                completeIfDrained();
            });
            retryLater();
        }
    }
}
