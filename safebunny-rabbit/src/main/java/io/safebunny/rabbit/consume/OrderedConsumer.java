// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.Connection;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.rabbit.work.Adjusting;
import io.safebunny.rabbit.work.ConsumeFailures;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.rabbit.work.Turns;
import io.safebunny.transport.Pace;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a queue with a single active consumer consumed in order. Thread-safe.
 *
 * <p>Each channel has one consumer as long as it lives, and is closed to end it: after a cancel the broker would give the next messages to
 * another consumer while those before them are still unsettled here. Whatever a closed channel leaves unsettled goes back to its place in the
 * queue, and counts as delivered once more. So the pace changes by not beginning what is delivered; a pause, another prefetch and the end wait
 * for running handlers, and then close the channel.
 */
final class OrderedConsumer implements QueueControl, ConsumerSession.Events, Turns.Line {

    private static final Logger LOG = LoggerFactory.getLogger(OrderedConsumer.class);

    private final ConsumedQueue queue;
    private final InboundBudget.Share share;
    private final ConsumerContext context;
    private final Consumer<RabbitDelivery> handler;
    private final ConsumeFailures failures;
    private final KeyedLine line;
    private final Turns turns;
    private final Adjusting adjusting;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    private volatile @Nullable ConsumerSession session;
    private volatile Pace pace = Pace.FULL;
    private volatile boolean stopping;

    /** Used only by the adjusting thread. */
    private boolean failedBefore;

    /** @param share may reduce the prefetch to one */
    OrderedConsumer(
            ConsumedQueue queue, InboundBudget.Share share, ConsumerContext context, Consumer<RabbitDelivery> handler) {
        this.queue = queue;
        this.share = share;
        this.context = context;
        this.handler = handler;
        this.failures = new ConsumeFailures(queue.name(), context.log());
        this.line = new KeyedLine(share);
        this.turns = new Turns(queue.name(), context, this);
        this.adjusting =
                new Adjusting(this::adjustOnce, this::completeIfDrained, context.workers(), context.timeline());
    }

    // ---- the channel

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
            ConsumerSession present = session;
            int wanted = wantedPrefetch();
            if (present != null && isOutOfLine(present, wanted)) {
                if (present.isAlive() && !line.hold()) {
                    return; // the last handler that returns adjusts again
                }
                present.close();
                line.clear();
                session = null;
                present = null;
            }
            if (wanted > 0 && (present != null || open(wanted))) {
                line.limit(pace == Pace.ONE_BY_ONE ? 1 : queue.prefetch());
                turns.start();
            }
        } catch (IOException | RuntimeException | Error e) {
            // catches unexpected failures too: nothing else would retry
            failures.fails(e);
            adjusting.later();
        }
    }

    /** @return false if there is no connection */
    private boolean open(int prefetch) throws IOException {
        Connection connection = context.connection().get();
        if (connection == null) {
            return false;
        }
        if (failedBefore) {
            context.repair().prepare(connection);
        }
        failedBefore = true;
        ConsumerSession fresh =
                new ConsumerSession(queue.name(), Channels.open(connection), queue.countsDeliveries(), this);
        session = fresh;
        line.open(fresh);
        fresh.watch();
        fresh.consume(prefetch);
        failedBefore = false;
        failures.works();
        // look again, because deliveries in the meantime may have changed the wanted prefetch
        adjusting.lookAgain();
        return true;
    }

    /** The prefetch that the consumer should have now; 0 for no consumer. */
    private int wantedPrefetch() {
        if (stopping || pace == Pace.PAUSED) {
            return 0;
        }
        return share.isFull() ? queue.prefetch() : 1;
    }

    private static boolean isOutOfLine(@Nullable ConsumerSession present, int wanted) {
        return present == null ? wanted > 0 : !present.isAlive() || present.prefetch() != wanted;
    }

    private boolean isOutOfLine() {
        return isOutOfLine(session, wantedPrefetch());
    }

    @Override
    public void delivered(RabbitDelivery delivery, int prefetch) {
        line.add(new OrderedDelivery(delivery, this::settled));
        turns.start();
        if (isOutOfLine()) {
            adjustSoon();
        }
    }

    /** Never: consumers end with their channel. */
    @Override
    public void consumerEnded() {}

    @Override
    public void lost(ConsumerSession old, @Nullable String why) {
        if (why != null && !stopping) {
            LOG.warn("{}. Consuming it again", why);
        }
        adjusting.onWorker(old::close);
        adjusting.later();
    }

    @Override
    public void stop() {
        stopping = true;
        turns.stop();
        adjusting.stop();
    }

    @Override
    public CompletableFuture<Void> drained() {
        return drained.copy();
    }

    private void completeIfDrained() {
        if (stopping && !adjusting.isUnderWay() && session == null && line.isIdle()) {
            drained.complete(null);
        }
    }

    // ---- the deliveries

    @Override
    public boolean claimStart() {
        return line.claimStart();
    }

    @Override
    public void endStart() {
        line.endStart();
    }

    @Override
    public boolean handleNext() {
        OrderedDelivery next = line.take();
        if (next == null) {
            return false;
        }
        try {
            // other keys need not wait for this one
            turns.start();
        } finally {
            try {
                handler.accept(next);
            } finally {
                returned(next);
            }
        }
        return true;
    }

    private void returned(OrderedDelivery delivery) {
        resumeLater(line.returned(delivery));
        // also if it was held for a change that is not wanted any more
        if (isOutOfLine() || (session != null && line.limit() == 0)) {
            adjust();
        }
        completeIfDrained();
    }

    private void settled(OrderedDelivery delivery) {
        resumeLater(line.settled(delivery));
        turns.start();
    }

    private void resumeLater(@Nullable OrderedDelivery kept) {
        if (kept != null) {
            context.timeline().schedule(kept.after(), () -> {
                line.resume(kept);
                turns.start();
            });
        }
    }
}
