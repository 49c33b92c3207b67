// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.Connection;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.rabbit.work.Adjusting;
import io.safebunny.rabbit.work.ConsumeFailures;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.transport.Pace;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a queue consumed with the right prefetch: compares the current consumer with what the pace, the {@link InboundBudget} and the
 * {@link Dispatcher} allow, replaces it when they differ, and retries after a failure. Thread-safe.
 *
 * <p>One thread at a time talks to the broker, see {@link Adjusting}: never a thread of the connection, and never while it holds a lock.
 */
final class ConsumerControl implements QueueControl, ConsumerSession.Events {

    private static final Logger LOG = LoggerFactory.getLogger(ConsumerControl.class);

    private final String queue;
    private final boolean countsDeliveries;
    private final InboundBudget.Share share;
    private final ConsumerContext context;
    private final Dispatcher dispatcher;
    private final ConsumeFailures failures;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final Adjusting adjusting;

    private volatile @Nullable ConsumerSession session;
    private volatile Pace pace = Pace.FULL;
    private volatile boolean stopping;

    /** Used only by the adjusting thread. */
    private boolean failedBefore;

    /**
     * @param share may slow the queue down to one message at a time
     * @param dispatcher gets what is delivered, and tells this object what it has {@linkplain #finished finished} and {@linkplain
     *     #released released}
     */
    ConsumerControl(
            ConsumedQueue queue,
            InboundBudget.Share share,
            ConsumerContext context,
            Function<ConsumerControl, Dispatcher> dispatcher) {
        this.queue = queue.name();
        this.countsDeliveries = queue.countsDeliveries();
        this.share = share;
        this.context = context;
        this.adjusting =
                new Adjusting(this::adjustOnce, this::completeIfDrained, context.workers(), context.timeline());
        this.failures = new ConsumeFailures(queue.name(), context.log());
        this.dispatcher = dispatcher.apply(this);
    }

    @Override
    public boolean isConsuming() {
        ConsumerSession present = session;
        return stopping || pace == Pace.PAUSED || (present != null && present.isAlive());
    }

    @Override
    public void setPace(Pace wanted) {
        pace = wanted;
        adjustSoon();
    }

    @Override
    public void adjustSoon() {
        adjusting.soon();
    }

    @Override
    public void adjust() {
        adjusting.now();
    }

    private void adjustOnce() {
        try {
            ConsumerSession present = presentSession();
            int wanted = wantedPrefetch(present);
            Connection open = context.connection().get();
            if (open == null || !isOutOfLine(present, wanted)) {
                return;
            }
            if (present == null && failedBefore) {
                context.repair().prepare(open);
            }
            failedBefore = true;
            ConsumerSession current = present == null ? openSession(open) : present;
            current.cancel();
            if (wanted > 0) {
                current.consume(wanted);
            }
            failedBefore = false;
            failures.works();
            // look again, because deliveries in the meantime may have changed the wanted prefetch
            adjusting.lookAgain();
        } catch (IOException | RuntimeException | Error e) {
            // catches unexpected failures too: nothing else would retry
            failures.fails(e);
            adjusting.later();
        }
    }

    /** Call only on the adjusting thread. */
    private @Nullable ConsumerSession presentSession() {
        ConsumerSession present = session;
        if (present != null && !present.isAlive()) {
            session = null;
            dispatcher.beCautious();
            return null;
        }
        return present;
    }

    private ConsumerSession openSession(Connection open) throws IOException {
        ConsumerSession fresh = new ConsumerSession(queue, Channels.open(open), countsDeliveries, this);
        session = fresh;
        fresh.watch();
        return fresh;
    }

    /** The prefetch that the consumer should have now; 0 for no consumer. */
    private int wantedPrefetch(@Nullable ConsumerSession present) {
        if (stopping || pace == Pace.PAUSED) {
            return 0;
        }
        int wanted = dispatcher.wantedPrefetch(present == null ? 0 : present.prefetch());
        return wanted > 1 && (pace == Pace.ONE_BY_ONE || !share.isFull()) ? 1 : wanted;
    }

    private boolean isOutOfLine() {
        ConsumerSession present = session;
        return isOutOfLine(present, wantedPrefetch(present));
    }

    private static boolean isOutOfLine(@Nullable ConsumerSession present, int wanted) {
        return present == null ? wanted > 0 : present.prefetch() != wanted || present.isOccupied();
    }

    @Override
    public void delivered(RabbitDelivery delivery, int prefetch) {
        share.took(delivery.size());
        dispatcher.add(delivery, prefetch);
        if (isOutOfLine()) {
            adjustSoon();
        }
    }

    @Override
    public void consumerEnded() {
        adjusting.onWorker(this::completeIfDrained);
    }

    @Override
    public void lost(ConsumerSession old, @Nullable String why) {
        if (why != null && !stopping) {
            LOG.warn("{}. Consuming it again", why);
        }
        adjusting.onWorker(() -> {
            old.close();
            completeIfDrained();
        });
        adjusting.later();
    }

    /** Call on the worker that handled the delivery. */
    void finished(RabbitDelivery delivery) {
        share.gave(delivery.size());
        boolean wasLast = delivery.session().finished();
        boolean adjust = isOutOfLine();
        if (wasLast || adjust) {
            // start the other deliveries before blocking on the broker below
            dispatcher.startWaiting();
        }
        if (wasLast) {
            delivery.session().close();
        }
        if (adjust) {
            adjust();
        }
        completeIfDrained();
    }

    /**
     * Call when the other deliveries stop waiting for this one. It still takes a place in its consumer's prefetch, so the others need a new
     * consumer.
     */
    void released(RabbitDelivery delivery) {
        delivery.session().occupy();
        adjustSoon();
    }

    /** {@inheritDoc} Cancels the consumer, lets what was delivered be handled, and only then closes the channel. */
    @Override
    public void stop() {
        stopping = true;
        dispatcher.stop();
        adjusting.stop();
    }

    @Override
    public CompletableFuture<Void> drained() {
        return drained.copy();
    }

    /** The order of the checks matters: first whether any more deliveries can arrive, then whether any are left. */
    private void completeIfDrained() {
        if (!stopping || adjusting.isUnderWay()) {
            return;
        }
        ConsumerSession last = session;
        if ((last != null && last.mayStillDeliver()) || !dispatcher.isIdle()) {
            return;
        }
        if (last != null) {
            last.close();
        }
        drained.complete(null);
    }
}
