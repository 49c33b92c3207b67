// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.memory;

import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.DeliveryHandler;
import io.safebunny.spi.transport.IncomingMessage;
import io.safebunny.spi.transport.Pace;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** One consumer. Its places are taken by deliveries that are unsettled or still being handled. */
final class MemoryConsumption implements Consumption {

    private final MemoryBroker broker;
    private final MemoryQueue queue;
    private final int prefetch;
    private final DeliveryHandler handler;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    // guarded by the broker's lock
    private final Set<MemoryDelivery> places = new LinkedHashSet<>();
    private int limit;
    private boolean stopping;

    MemoryConsumption(MemoryBroker broker, MemoryQueue queue, int prefetch, DeliveryHandler handler) {
        this.broker = broker;
        this.queue = queue;
        this.prefetch = prefetch;
        this.handler = handler;
        this.limit = prefetch;
    }

    /** What was assigned and not begun goes back to its place when nothing may begin. */
    @Override
    public void pace(Pace pace) {
        broker.change(afterwards -> {
            limit = switch (pace) {
                case PAUSED -> 0;
                case ONE_BY_ONE -> 1;
                case FULL -> prefetch;
            };
            if (limit == 0) {
                handBackWhatIsNotBegun();
            }
            queue.handOut(afterwards);
        });
    }

    /** What its handler gave up (returned from without settling) goes back too: nobody will settle it any more. */
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

    MemoryQueue queue() {
        return queue;
    }

    // ---- called by the queue and the broker, which hold the lock

    boolean hasPlace() {
        return !stopping && places.size() < limit;
    }

    boolean isIdle() {
        return places.isEmpty();
    }

    MemoryDelivery take(long position, IncomingMessage message) {
        MemoryDelivery delivery = new MemoryDelivery(this, position, message);
        places.add(delivery);
        return delivery;
    }

    /** Nothing can be settled from now on; handlers that still run do so for nothing. */
    void cutOff(List<Runnable> afterwards) {
        stopping = true;
        places.stream().filter(MemoryDelivery::settle).forEach(delivery -> delivery.putBackTo(queue));
        places.clear();
        end(afterwards);
    }

    // ---- called by deliveries

    void handle(MemoryDelivery delivery) {
        boolean[] begun = {false};
        broker.change(afterwards -> begun[0] = delivery.begin());
        if (!begun[0]) {
            return; // it went back while it waited for a thread
        }
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

    private void returned(MemoryDelivery delivery, List<Runnable> afterwards) {
        delivery.end();
        if (!delivery.isOpen()) {
            places.remove(delivery);
        } else if (stopping) {
            handBackUnlessRunning(delivery);
        }
        end(afterwards);
        queue.handOut(afterwards);
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
