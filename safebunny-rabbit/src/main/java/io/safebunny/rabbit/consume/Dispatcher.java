// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.failure.details.Printable;
import io.safebunny.observation.BoundedLog.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the deliveries of a queue to worker threads in the order that the {@link WaitingLine} decides. A worker keeps handling deliveries
 * for a short time and is then free for other queues. Thread-safe.
 */
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** How long a worker keeps taking deliveries of this queue before it gives its thread back. */
    static final Duration TURN = Duration.ofMillis(1);

    /** Handles deliveries. */
    interface Work {

        void handle(RabbitDelivery delivery);

        /** How many deliveries {@link #handleTogether} currently takes at most; 1 if each is handled on its own. */
        default int mostTogether() {
            return 1;
        }

        /**
         * Handles several deliveries that waited at the same time and are all shareable.
         *
         * @return those that are still to be handled, each on its own
         */
        default List<RabbitDelivery> handleTogether(List<RabbitDelivery> deliveries) {
            return deliveries;
        }

        /** Called for each delivery that {@link #handle} or {@link #handleTogether} has handled, whether they returned or threw. */
        void finished(RabbitDelivery delivery);

        /** Called when a delivery handled in isolation takes so long that others no longer wait for it. */
        void released(RabbitDelivery delivery);
    }

    private final String queue;
    private final ConsumerContext context;
    private final Work work;
    private final LaterRun start;
    private final WaitingLine line;
    private volatile boolean stopping;

    Dispatcher(ConsumedQueue queue, ConsumerContext context, Work work) {
        this.queue = queue.name();
        this.context = context;
        this.start = new LaterRun(this::startWaiting, context.timeline());
        this.work = work;
        this.line = new WaitingLine(
                queue.prefetch(),
                new Isolation(
                        queue.quarantine(), queue.prefetch(), context.timeline(), this::startWaiting, this::release));
    }

    /** @param asked the prefetch of the consumer that received it */
    void add(RabbitDelivery delivery, int asked) {
        line.add(delivery, asked);
        startWaiting();
    }

    /** Call when the channel was lost: the first deliveries of the next one are isolated. */
    void beCautious() {
        line.beCautious();
    }

    /** From now on workers give their thread back after each delivery, because shutting down needs threads too. */
    void stop() {
        stopping = true;
    }

    /** Whether no delivery is being handled or waits. */
    boolean isIdle() {
        return line.isIdle();
    }

    /**
     * The prefetch that the consumer should have now, 0 for no consumer.
     *
     * @param present prefetch of the current consumer, 0 for none
     */
    int wantedPrefetch(int present) {
        return line.wantedPrefetch(present);
    }

    /** Starts at most one worker; each starts the next before it handles anything. Waking more threads than needed is expensive. */
    void startWaiting() {
        if (!line.claimStart(together())) {
            return;
        }
        try {
            context.workers().execute(this::takeTurn);
        } catch (RuntimeException | Error e) {
            // the executor has no free thread
            line.endStart();
            startLater(e);
        }
    }

    private void startLater(Throwable cause) {
        if (start.plan()) {
            context.log()
                    .tell(
                            Subject.warn(LOG, "No worker thread for deliveries of queue '%s'".formatted(queue)),
                            cause.toString(),
                            () -> LOG.warn(
                                    "No worker thread for a delivery of queue '{}'; retrying in {} ms",
                                    queue,
                                    LaterRun.DELAY.toMillis(),
                                    Printable.inLines(cause)));
        }
    }

    /** Handles waiting deliveries for at most {@link #TURN}, so that queues that share a small pool all get threads. */
    private void takeTurn() {
        long begun = context.timeline().nanoTime();
        line.endStart();
        try {
            for (RabbitDelivery next = takeNext(); next != null; next = mayGoOn(begun) ? takeNext() : null) {
                boolean shareable = next.isShareable();
                try {
                    handle(next);
                } finally {
                    if (shareable) {
                        line.workEnded();
                    }
                }
            }
        } finally {
            startWaiting();
        }
    }

    private @Nullable RabbitDelivery takeNext() {
        return line.takeNext(together());
    }

    /** How many deliveries a worker handles together: only one when stopping, so that all places are used. */
    private int together() {
        return stopping ? 1 : work.mostTogether();
    }

    /** False after an interrupt, which the owner of the thread must see. */
    private boolean mayGoOn(long begun) {
        return !stopping
                && context.timeline().nanoTime() - begun < TURN.toNanos()
                && !Thread.currentThread().isInterrupted();
    }

    private void handle(RabbitDelivery delivery) {
        int most = together();
        if (most > 1 && delivery.isShareable()) {
            List<RabbitDelivery> together = new ArrayList<>(List.of(delivery));
            line.takeMore(together, most);
            if (together.size() > 1) {
                handleTogether(together);
                return;
            }
        }
        try {
            // other deliveries need not wait for this one
            startWaiting();
        } finally {
            try {
                work.handle(delivery);
            } finally {
                finished(delivery);
            }
        }
    }

    private void handleTogether(List<RabbitDelivery> deliveries) {
        List<RabbitDelivery> left = List.of();
        try {
            startWaiting();
        } finally {
            try {
                left = work.handleTogether(deliveries);
            } finally {
                deliveries.removeAll(left);
                deliveries.forEach(this::finished);
                line.giveBack(left);
            }
        }
    }

    private void finished(RabbitDelivery delivery) {
        line.finished(delivery);
        work.finished(delivery);
    }

    private void release(RabbitDelivery delivery) {
        if (!line.release(delivery)) {
            return;
        }
        LOG.info(
                "A message of queue '{}' that was redelivered {} times is still being handled; others no longer wait for it",
                queue,
                delivery.message().deliveryCount());
        startWaiting();
        work.released(delivery);
    }
}
