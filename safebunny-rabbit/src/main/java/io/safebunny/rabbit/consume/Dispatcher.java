// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.Turns;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands the deliveries of a queue to worker threads in the order that the {@link WaitingLine} decides, by {@link Turns}. Thread-safe. */
final class Dispatcher implements Turns.Line {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

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
    private final Work work;
    private final Turns turns;
    private final WaitingLine line;

    Dispatcher(ConsumedQueue queue, ConsumerContext context, Work work) {
        this.queue = queue.name();
        this.work = work;
        this.turns = new Turns(queue.name(), context, this);
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
        turns.stop();
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

    /** Gets a worker if a waiting delivery may begin. */
    void startWaiting() {
        turns.start();
    }

    @Override
    public boolean claimStart() {
        return line.claimStart(together());
    }

    @Override
    public void endStart() {
        line.endStart();
    }

    @Override
    public boolean handleNext() {
        RabbitDelivery next = takeNext();
        if (next == null) {
            return false;
        }
        boolean shareable = next.isShareable();
        try {
            handle(next);
        } finally {
            if (shareable) {
                line.workEnded();
            }
        }
        return true;
    }

    private @Nullable RabbitDelivery takeNext() {
        return line.takeNext(together());
    }

    /** How many deliveries a worker handles together: only one when stopping, so that all places are used. */
    private int together() {
        return turns.isStopping() ? 1 : work.mostTogether();
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
