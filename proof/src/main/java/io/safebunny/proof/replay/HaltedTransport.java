// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.replay;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stops a replay at one point of one message, and tells the ledger, which keeps the replay there until the process is killed. For a node
 * whose handlers neither publish nor retry: whatever it sends to a queue is a replay. Thread-safe.
 */
final class HaltedTransport extends ForwardingTransport {

    /** A replay that did not wait for the confirm would have acknowledged by then. */
    private static final Duration LONG_ENOUGH_TO_ACKNOWLEDGE = Duration.ofMillis(200);

    private final Halt halt;
    private final int occurrence;
    private final LedgerClient ledger;
    private final Timeline timeline;
    private final AtomicInteger passed = new AtomicInteger();

    /** @param occurrence 1 for the first message that gets to the point */
    HaltedTransport(Transport transport, Halt halt, int occurrence, LedgerClient ledger, Timeline timeline) {
        super(transport);
        this.halt = halt;
        this.occurrence = occurrence;
        this.ledger = ledger;
        this.timeline = timeline;
    }

    private boolean stopsAt(Halt point) {
        return halt == point && passed.incrementAndGet() == occurrence;
    }

    private void stop() {
        ledger.write(Kind.REACHED, halt.name(), "");
    }

    private void reached(Halt point) {
        if (stopsAt(point)) {
            stop();
        }
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        if (!(message.route() instanceof Route.ToQueue)) {
            return transport.send(message, deadline);
        }
        if (stopsAt(Halt.UNSENT)) {
            timeline.schedule(LONG_ENOUGH_TO_ACKNOWLEDGE, this::stop);
            return new CompletableFuture<>();
        }
        return transport.send(message, deadline).thenRun(() -> reached(Halt.UNCONFIRMED));
    }

    @Override
    public BrowsedQueue browse(String queue) {
        return new HaltedQueue(transport.browse(queue));
    }

    private final class HaltedQueue implements BrowsedQueue {

        private final BrowsedQueue queue;

        HaltedQueue(BrowsedQueue queue) {
            this.queue = queue;
        }

        @Override
        public long waiting() {
            return queue.waiting();
        }

        @Override
        public @Nullable Delivery next() {
            Delivery delivery = queue.next();
            if (delivery == null) {
                return null;
            }
            reached(Halt.TAKEN);
            return new HaltedDelivery(delivery);
        }

        @Override
        public void close() {
            queue.close();
        }
    }

    private final class HaltedDelivery extends ForwardingDelivery {

        HaltedDelivery(Delivery delivery) {
            super(delivery);
        }

        @Override
        public void acknowledge() {
            reached(Halt.CONFIRMED);
            super.acknowledge();
            reached(Halt.ACKNOWLEDGED);
        }
    }
}
