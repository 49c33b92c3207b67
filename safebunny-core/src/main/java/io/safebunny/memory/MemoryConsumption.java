// SPDX-License-Identifier: Apache-2.0
package io.safebunny.memory;

import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Pace;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One consumer. A delivery occupies a slot of the prefetch while it is unsettled or still being handled. State is guarded by the
 * broker's lock.
 */
class MemoryConsumption implements Consumption {

    final MemoryBroker broker;
    final int prefetch;
    final DeliveryHandler handler;
    private final MemoryQueue queue;
    private final Executor executor;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    // guarded by the broker's lock
    final Set<MemoryDelivery> places = new LinkedHashSet<>();
    private int limit;
    private boolean stopping;

    MemoryConsumption(
            MemoryBroker broker, MemoryQueue queue, int prefetch, DeliveryHandler handler, Executor executor) {
        this.broker = broker;
        this.queue = queue;
        this.prefetch = prefetch;
        this.handler = handler;
        this.executor = executor;
    }

    /** Sets the initial pace; call it with the broker's lock held. */
    void beginAt(Pace pace) {
        limit = limit(pace);
    }

    /** {@inheritDoc} A pause returns deliveries that were assigned but not started to their positions in the queue. */
    @Override
    public void pace(Pace pace) {
        broker.change(afterwards -> {
            limit = limit(pace);
            if (limit == 0) {
                handBackWhatIsNotBegun();
            }
            queue.handOut(afterwards);
        });
    }

    private int limit(Pace pace) {
        return switch (pace) {
            case PAUSED -> 0;
            case ONE_BY_ONE -> 1;
            case FULL -> prefetch;
        };
    }

    /** {@inheritDoc} Also puts back deliveries whose handler has returned without settling them, because nobody else will. */
    @Override
    public CompletableFuture<Void> stop() {
        broker.change(afterwards -> {
            stopping = true;
            handBackWhatIsNotBegun();
            end(afterwards);
            queue.handOut(afterwards);
        });
        return stopped.copy();
    }

    boolean isEnded() {
        return stopped.isDone();
    }

    Executor executor() {
        return executor;
    }

    MemoryQueue queue() {
        return queue;
    }

    // ---- called by the queue and the broker, with the lock held

    boolean hasPlace() {
        return isTaking() && places.size() < limit;
    }

    /** Whether it is neither paused nor stopping. */
    final boolean isTaking() {
        return !stopping && limit > 0;
    }

    /** How many may be handled at once. */
    final int limit() {
        return limit;
    }

    /** Whether another consumer may take its place: it takes nothing more, and holds nothing. */
    final boolean hasYielded() {
        return !isTaking() && places.isEmpty();
    }

    boolean isIdle() {
        return places.isEmpty();
    }

    Stream<IncomingMessage> unsettled() {
        return places.stream().filter(MemoryDelivery::isOpen).map(MemoryDelivery::message);
    }

    /** A delivery that begins as soon as it has a thread. */
    void take(long position, IncomingMessage message, List<Runnable> afterwards) {
        MemoryDelivery delivery = placed(position, message);
        afterwards.add(() -> broker.execute(delivery));
    }

    final MemoryDelivery placed(long position, IncomingMessage message) {
        MemoryDelivery delivery = new MemoryDelivery(this, position, message);
        places.add(delivery);
        return delivery;
    }

    /** Call after each change: begins what has waited for it. */
    void beginWaiting(List<Runnable> afterwards) {}

    /** Puts everything back. Handlers that are still running can no longer settle their deliveries. */
    void cutOff(List<Runnable> afterwards) {
        stopping = true;
        places.stream().filter(MemoryDelivery::settle).forEach(delivery -> delivery.putBackTo(queue));
        places.clear();
        end(afterwards);
    }

    // ---- called by deliveries

    /** Together with others that wait for a thread, if the handler takes several. */
    void handle(MemoryDelivery delivery) {
        int most = handler.mostTogether();
        List<MemoryDelivery> begun = new ArrayList<>(1);
        broker.change(afterwards -> {
            if (delivery.begin()) { // otherwise it was put back while waiting, or is handled with others
                begun.add(delivery);
                for (MemoryDelivery other : places) {
                    if (begun.size() < most && other.begin()) {
                        begun.add(other);
                    }
                }
            }
        });
        if (begun.size() > 1) {
            handleTogether(begun);
        } else {
            begun.forEach(this::handleAlone);
        }
    }

    private void handleTogether(List<MemoryDelivery> deliveries) {
        List<MemoryDelivery> left = List.of();
        try {
            left = handler.handleTogether(deliveries);
        } finally {
            for (MemoryDelivery each : deliveries) {
                if (!left.contains(each)) {
                    broker.change(afterwards -> returned(each, afterwards));
                }
            }
        }
        handleAlone(left.iterator());
    }

    /** All of them, whatever one throws. */
    private void handleAlone(Iterator<MemoryDelivery> left) {
        if (left.hasNext()) {
            try {
                handleAlone(left.next());
            } finally {
                handleAlone(left);
            }
        }
    }

    private void handleAlone(MemoryDelivery delivery) {
        try {
            handler.handle(delivery);
        } finally {
            broker.change(afterwards -> returned(delivery, afterwards));
        }
    }

    void settle(MemoryDelivery delivery, Consumer<List<Runnable>> end) {
        broker.change(afterwards -> {
            if (!delivery.settle()) {
                return;
            }
            end.accept(afterwards);
            if (!delivery.isRunning()) {
                places.remove(delivery);
                end(afterwards);
            }
            queue.handOut(afterwards);
        });
    }

    final void returned(MemoryDelivery delivery, List<Runnable> afterwards) {
        delivery.end();
        if (!delivery.isOpen()) {
            places.remove(delivery);
        } else if (stopping || (limit == 0 && returnsWhenPaused())) {
            handBackUnlessRunning(delivery);
        }
        end(afterwards);
        queue.handOut(afterwards);
    }

    /** Whether a pause also returns what its handler leaves unsettled. */
    boolean returnsWhenPaused() {
        return false;
    }

    private void handBackWhatIsNotBegun() {
        List.copyOf(places).forEach(this::handBackUnlessRunning);
    }

    private void handBackUnlessRunning(MemoryDelivery delivery) {
        if (!delivery.isRunning() && delivery.settle()) {
            delivery.putBackTo(queue);
            places.remove(delivery);
        }
    }

    private void end(List<Runnable> afterwards) {
        if (stopping && places.isEmpty()) {
            queue.remove(this);
            afterwards.add(() -> stopped.complete(null));
        }
    }
}
