// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One consumer in order: of its places, which are in the order of the queue, only the first one of each key is handled, and one that
 * waits for all only when it is the first of all. While the first one of a key is kept, one that passes it may be handled. State is guarded by
 * the broker's lock.
 */
final class OrderedMemoryConsumption extends MemoryConsumption {

    private static final Duration HANDED_BACK = Duration.ofSeconds(1);

    /** Places whose message is kept until its pause is over. */
    private final Set<MemoryDelivery> kept = new HashSet<>();

    OrderedMemoryConsumption(
            MemoryBroker broker, MemoryQueue queue, int prefetch, DeliveryHandler handler, Executor executor) {
        super(broker, queue, prefetch, handler, executor);
    }

    @Override
    boolean hasPlace() {
        return isTaking() && places.size() < prefetch;
    }

    @Override
    boolean returnsWhenPaused() {
        return true;
    }

    /** It begins in {@link #beginWaiting}. */
    @Override
    void take(long position, IncomingMessage message, List<Runnable> afterwards) {
        placed(position, message);
    }

    @Override
    void beginWaiting(List<Runnable> afterwards) {
        if (!isTaking()) {
            return;
        }
        Set<Object> begun = new HashSet<>(); // of a key never more than one
        places.stream().filter(MemoryDelivery::isBegun).forEach(place -> begun.add(key(place)));
        Set<Object> before = new HashSet<>();
        for (MemoryDelivery place : places) {
            WireMessage message = place.message().message();
            Object key = key(place);
            boolean isNext = OrderKey.waitsForAll(message)
                    ? before.isEmpty()
                    : !before.contains(key)
                            || OrderKey.passesKept(message); // if the first is not kept, it has just begun
            before.add(key);
            if (isNext && !kept.contains(place) && !begun.contains(key) && begun.size() < limit() && place.begin()) {
                begun.add(key);
                afterwards.add(() -> broker.execute(place));
            }
        }
    }

    /** What it shares with those that wait for it; its own if the message has no readable key. */
    private static Object key(MemoryDelivery place) {
        OrderKey key = OrderKey.of(place.message().message());
        return key == null ? place : key;
    }

    @Override
    void handle(MemoryDelivery place) {
        Turn turn = new Turn(place);
        try {
            if (place.isOpen()) {
                handler.handle(turn);
            }
        } finally {
            broker.change(afterwards -> {
                if (turn.pause != null) {
                    keep(place, turn.pause, afterwards);
                }
                returned(place, afterwards);
            });
        }
    }

    private void keep(MemoryDelivery place, Duration pause, List<Runnable> afterwards) {
        if (!place.isOpen()) {
            return;
        }
        place.beginAgain();
        kept.add(place);
        afterwards.add(() -> broker.schedule(pause, later -> {
            kept.remove(place);
            queue().handOut(later);
        }));
    }

    /** A message that is passed to the handler, perhaps not for the first time. */
    private final class Turn implements Delivery {

        private final MemoryDelivery place;
        private final IncomingMessage message;
        private final AtomicBoolean over = new AtomicBoolean();
        /** If it is to be kept as soon as its handler has returned; guarded by the broker's lock. */
        private @Nullable Duration pause;

        Turn(MemoryDelivery place) {
            this.place = place;
            this.message = place.message();
        }

        @Override
        public IncomingMessage message() {
            return message;
        }

        @Override
        public boolean isOpen() {
            return !over.get() && place.isOpen();
        }

        @Override
        public void acknowledge() {
            if (over.compareAndSet(false, true)) {
                place.acknowledge();
            }
        }

        @Override
        public void handBack() {
            keep(HANDED_BACK);
        }

        @Override
        public void keep(Duration wanted) {
            if (over.compareAndSet(false, true)) {
                broker.change(afterwards -> {
                    if (place.isRunning()) {
                        pause = wanted;
                    } else {
                        OrderedMemoryConsumption.this.keep(place, wanted, afterwards);
                        queue().handOut(afterwards);
                    }
                });
            }
        }

        @Override
        public void reject() {
            if (over.compareAndSet(false, true)) {
                place.reject();
            }
        }
    }
}
