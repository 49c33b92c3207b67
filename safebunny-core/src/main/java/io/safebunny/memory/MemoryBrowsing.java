// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.failure.BrowsingException;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Browses a queue. State is guarded by the broker's lock. */
final class MemoryBrowsing implements BrowsedQueue {

    private final MemoryBroker broker;
    private final MemoryQueue queue;
    private volatile long waiting;
    private final String name;
    private final Queue<BrowsedDelivery> taken =
            new ConcurrentLinkedQueue<>(); // the transport may be closed by another thread
    private volatile boolean cutOff;
    private volatile boolean closed;

    /** Call it with the broker's lock held. */
    MemoryBrowsing(MemoryBroker broker, MemoryQueue queue, String name) {
        this.broker = broker;
        this.name = name;
        this.queue = queue;
    }

    @Override
    public long waiting() {
        return waiting;
    }

    @Override
    public @Nullable Delivery next() {
        List<BrowsedDelivery> first = new ArrayList<>(1);
        broker.change(afterwards -> {
            Map.Entry<Long, IncomingMessage> message = cutOff ? null : queue.takeFirst();
            if (message != null) {
                first.add(new BrowsedDelivery(message.getKey(), message.getValue()));
                taken.addAll(first);
            }
            waiting = message == null ? 0 : queue.depth();
        });
        if (cutOff) {
            throw lost();
        }
        return first.isEmpty() ? null : first.get(0);
    }

    private BrowsingException lost() {
        return new BrowsingException(name, "its transport was closed. Use one that is open.", null);
    }

    /** Call when the transport is closed: the messages that were taken go back, and none can be settled any more. */
    void cutOff() {
        broker.change(afterwards -> cutOff = true);
        close();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        taken.forEach(BrowsedDelivery::handBack);
        taken.clear();
    }

    private final class BrowsedDelivery implements Delivery {

        private final long position;
        private final IncomingMessage message;
        private volatile boolean settled;

        BrowsedDelivery(long position, IncomingMessage message) {
            this.position = position;
            this.message = message;
        }

        private void settle(Consumer<List<Runnable>> end) {
            broker.change(afterwards -> {
                if (!settled) {
                    settled = true;
                    end.accept(afterwards);
                    queue.handOut(afterwards);
                }
            });
        }

        @Override
        public IncomingMessage message() {
            return message;
        }

        @Override
        public boolean isOpen() {
            return !settled;
        }

        @Override
        public void acknowledge() {
            if (cutOff) {
                throw lost();
            }
            settle(afterwards -> {});
        }

        @Override
        public void handBack() {
            settle(afterwards -> queue.putBack(position, message));
        }

        @Override
        public void reject() {
            settle(afterwards -> queue.setAside(position, message, afterwards));
        }
    }
}
