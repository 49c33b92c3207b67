// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.Pace;
import io.safebunny.time.Timeline;
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
 * message that ends its process must not use up the delivery limit of those beside it. Such a {@linkplain Taken#isSuspicious suspicious}
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

    /** How long a suspicious message waits for the others to finish, and how long they then wait for it. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** How long a worker goes on with the next delivery after the one it has handled. */
    private static final Duration TURN = Duration.ofMillis(1);

    private final String queue;
    private final InboundBudget.Share share;
    private final Supplier<@Nullable Connection> connection;
    private final ConnectionKeeper.Preparation repair;
    private final boolean countsDeliveries;
    private final Executor workers;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Kind notConsumed;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final AtomicBoolean retryPlanned = new AtomicBoolean();
    private final AtomicBoolean startPlanned = new AtomicBoolean();

    private final Object lock = new Object();
    // guarded by the lock
    private final Deque<Taken> waiting = new ArrayDeque<>();
    private @Nullable Session session;
    private Pace pace = Pace.FULL;
    private boolean cautious = true;
    private @Nullable Taken suspect;
    private @Nullable Long suspectWaitsSince;
    private int suspectsWaiting;
    private int running;
    /** A worker was asked for that has not begun. */
    private boolean starting;

    private boolean adjusting;
    private boolean adjustAgain;
    private volatile boolean stopping;

    /** Only the thread that adjusts uses it. */
    private boolean failedBefore;

    /**
     * @param share may slow the queue down to one message at a time
     * @param connection the open one, {@code null} while there is none
     * @param repair declares the queue again when it is gone
     * @param countsDeliveries whether the broker keeps count of failed deliveries of this queue
     */
    QueueContainer(
            String queue,
            int prefetch,
            InboundBudget.Share share,
            DeliveryHandler pipeline,
            ConnectionFactory factory,
            Supplier<@Nullable Connection> connection,
            ConnectionKeeper.Preparation repair,
            boolean countsDeliveries,
            Executor workers,
            Timeline timeline,
            BoundedLog log) {
        this.queue = queue;
        this.share = share;
        this.connection = connection;
        this.repair = repair;
        this.countsDeliveries = countsDeliveries;
        this.workers = workers;
        this.timeline = timeline;
        this.log = log;
        this.notConsumed = Kind.warn(LOG, "Cannot consume queue '%s'".formatted(queue));
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

    /** Also true while nothing should be consumed: paused, or stopping. */
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
        } catch (RuntimeException | Error e) {
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
        if (open == null || !isOutOfLine(present, wanted)) {
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
            log.works(notConsumed);
            return true;
        } catch (IOException | ShutdownSignalException | ConfigurationException e) {
            String why = Channels.explain(e);
            log.fails(
                    notConsumed, queue, why, () -> LOG.warn("Cannot consume queue '{}': {}. Trying again", queue, why));
            return false;
        } catch (RuntimeException | Error e) { // whatever it was, nobody else would try again
            log.fails(
                    notConsumed,
                    queue,
                    e.toString(),
                    () -> LOG.error("Cannot consume queue '{}'. Trying again", queue, e));
            return false;
        }
    }

    /** Prefetch of the consumer there should be now, 0 for none. Under the lock. */
    private int wantedPrefetch() {
        int present = session == null ? 0 : session.prefetch;
        if (stopping || pace == Pace.PAUSED) {
            return 0;
        }
        if (suspect != null || suspectsWaiting > 0) {
            return present == 1 ? 1 : 0; // beside it the broker gives nothing more
        }
        if (present == 0 && running + waiting.size() >= getPrefetchCount()) {
            return 0; // earlier consumers brought as many as may be handled at once
        }
        return pace == Pace.ONE_BY_ONE || cautious || !share.isFull() ? 1 : getPrefetchCount();
    }

    private boolean isOutOfLine() {
        return isOutOfLine(session, wantedPrefetch());
    }

    private static boolean isOutOfLine(@Nullable Session present, int wanted) {
        return present == null ? wanted > 0 : present.prefetch != wanted || present.occupied;
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

    /** A delivery that is not settled yet, and the channel it came on. */
    private record Taken(Session session, RabbitDelivery delivery) {

        int size() {
            return delivery.message().message().body().length;
        }

        /** Came back so often that it may be what ended the processes that handled it. */
        boolean isSuspicious() {
            return delivery.message().deliveryCount() >= SUSPICIOUS;
        }
    }

    private void delivered(Taken taken, int prefetch) {
        boolean adjust;
        share.took(taken.size());
        synchronized (lock) {
            if (taken.isSuspicious()) {
                cautious = true;
                suspectsWaiting++;
            } else if (prefetch == 1) {
                cautious = false;
            }
            taken.session.unsettled++;
            waiting.add(taken);
            adjust = isOutOfLine();
        }
        startWaiting();
        if (adjust) {
            adjustSoon();
        }
    }

    /** Asks for one worker at a time, which asks for the next one before it handles anything: waking a thread is expensive. */
    private void startWaiting() {
        synchronized (lock) {
            if (starting || !mayNextRun()) {
                return;
            }
            starting = true;
        }
        try {
            workers.execute(this::work);
        } catch (RuntimeException | Error e) { // no thread now
            synchronized (lock) {
                starting = false;
            }
            startLater(e);
        }
    }

    private void startLater(Throwable cause) {
        if (startPlanned.compareAndSet(false, true)) {
            timeline.schedule(RETRY_DELAY, () -> {
                startPlanned.set(false);
                startWaiting();
            });
            log.tell(
                    Kind.warn(LOG, "No thread for deliveries of queue '%s'".formatted(queue)),
                    cause.toString(),
                    () -> LOG.warn(
                            "No thread for a delivery of queue '{}'; next try in {} ms",
                            queue,
                            RETRY_DELAY.toMillis(),
                            cause));
        }
    }

    /** Handles what waits, for a while; a thread of a small pool is then given back for the other queues. */
    private void work() {
        long begun = timeline.nanoTime();
        synchronized (lock) {
            starting = false;
        }
        try {
            for (Taken next = takeWaiting(); next != null; next = mayGoOn(begun) ? takeWaiting() : null) {
                handle(next);
            }
        } finally {
            startWaiting();
        }
    }

    private void handle(Taken taken) {
        try {
            startWaiting(); // the others do not wait for this one
        } finally {
            try {
                invokeListener(taken.session.channel, taken.delivery);
            } finally {
                finished(taken);
            }
        }
    }

    /** Not with an interrupt, which is for this thread's owner to see. */
    private boolean mayGoOn(long begun) {
        return !stopping
                && timeline.nanoTime() - begun < TURN.toNanos()
                && !Thread.currentThread().isInterrupted();
    }

    private @Nullable Taken takeWaiting() {
        synchronized (lock) {
            if (!mayNextRun()) {
                return null;
            }
            Taken next = waiting.element();
            if (next.isSuspicious()) {
                timeline.schedule(PATIENCE, () -> acquit(next));
                suspect = next;
                suspectWaitsSince = null;
                suspectsWaiting--;
            }
            running++;
            return waiting.remove();
        }
    }

    /** Under the lock. */
    private boolean mayNextRun() {
        Taken next = waiting.peek();
        return next != null && (next.isSuspicious() ? mayRunAlone() : mayRunBesideOthers());
    }

    private boolean mayRunBesideOthers() {
        return suspect == null && running < getPrefetchCount();
    }

    /** Or has waited long enough for handlers that do not return. Under the lock. */
    private boolean mayRunAlone() {
        if (running == 0) {
            return true;
        }
        Long since = suspectWaitsSince;
        if (since == null) {
            timeline.schedule(PATIENCE, this::startWaiting);
            suspectWaitsSince = timeline.nanoTime();
            return false;
        }
        return timeline.nanoTime() - since >= PATIENCE.toNanos();
    }

    /** It takes long, but has not ended the process: the others wait no more. */
    private void acquit(Taken taken) {
        synchronized (lock) {
            if (!taken.equals(suspect)) {
                return;
            }
            suspect = null;
            taken.session.occupied = taken.session.prefetch == 1;
        }
        LOG.info(
                "A message of queue '{}' that came back {} times is still being handled; others are handled beside it",
                queue,
                taken.delivery.message().deliveryCount());
        startWaiting();
        adjustSoon();
    }

    private void finished(Taken taken) {
        boolean adjust;
        boolean wasLast;
        share.gave(taken.size());
        synchronized (lock) {
            running--;
            if (taken.equals(suspect)) {
                suspect = null;
            }
            wasLast = --taken.session.unsettled == 0 && taken.session.retired;
            adjust = isOutOfLine();
        }
        if (wasLast || adjust) {
            startWaiting(); // nobody waits for the answers of the broker
        }
        if (wasLast) {
            Channels.closeQuietly(taken.session.channel);
        }
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
        } catch (RuntimeException | Error e) {
            timeline.schedule(RETRY_DELAY, () -> onWorker(task));
        }
    }

    /** One channel with one consumer after the other. */
    private final class Session {

        private final Channel channel;

        /** What was delivered is the broker's again. */
        private volatile boolean cut;

        /** Nothing more is asked of it; it is open until what was delivered on it is settled. */
        private volatile boolean retired;

        /** Of the present consumer, 0 when there is none; written by the thread that adjusts. */
        private volatile int prefetch;

        /** The one place of the present consumer is taken by a message that nobody waits for any more. */
        private volatile boolean occupied;

        /** Those that may still deliver; guarded by the lock. */
        private int consumers;

        /** Guarded by the lock. */
        private int unsettled;

        private String tag = "";

        Session(Channel channel) {
            this.channel = channel;
        }

        boolean isAlive() {
            return channel.isOpen() && !cut && !retired;
        }

        void consume(int wanted) throws IOException {
            if (wanted == 0) {
                return;
            }
            try {
                SessionConsumer consumer = new SessionConsumer(this, wanted);
                channel.setDefaultConsumer(consumer); // of deliveries that come although nobody answered in time
                channel.basicQos(wanted);
                synchronized (lock) {
                    consumers++;
                }
                tag = channel.basicConsume(queue, false, consumer);
                prefetch = wanted;
                synchronized (lock) {
                    adjustAgain = true; // what was delivered meanwhile may have changed what is wanted
                }
            } catch (IOException | ShutdownSignalException e) {
                retire();
                throw e;
            }
        }

        /** Whether it consumes is not known. What it has delivered is finished; the broker gets the rest back. */
        private void retire() {
            boolean idle;
            synchronized (lock) {
                retired = true;
                idle = unsettled == 0;
            }
            if (idle) {
                Channels.closeQuietly(channel);
            }
        }

        void cancel() throws IOException {
            if (prefetch > 0) {
                channel.basicCancel(tag);
                prefetch = 0;
                occupied = false;
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
            if (session.retired) {
                return; // goes back when the channel is closed
            }
            IncomingMessage message = new IncomingMessage(
                    queue,
                    envelope.getExchange(),
                    envelope.getRoutingKey(),
                    envelope.isRedeliver(),
                    countsDeliveries && envelope.isRedeliver() ? AmqpMessages.deliveryCount(properties) : 0,
                    properties.getUserId(),
                    AmqpMessages.read(properties, body));
            RabbitDelivery delivery =
                    new RabbitDelivery(getChannel(), envelope.getDeliveryTag(), message, () -> session.cut);
            delivered(new Taken(session, delivery), prefetch);
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
