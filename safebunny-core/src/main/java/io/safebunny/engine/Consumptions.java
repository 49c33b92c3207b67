// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.consuming.HeldDeliveries;
import io.safebunny.failure.Printable;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues a node consumes. Opened and drained by one thread; {@link #withStandstills} and {@link #blocked} are thread-safe. */
final class Consumptions {

    private static final Logger LOG = LoggerFactory.getLogger(Consumptions.class);

    private final Transport transport;
    private final Timeline timeline;
    private final Map<String, Integer> places = new ConcurrentHashMap<>();
    private final List<Consumption> all = new ArrayList<>();

    Consumptions(Transport transport, Timeline timeline) {
        this.transport = transport;
        this.timeline = timeline;
    }

    /** @param paused at first */
    Consumption open(String queue, int prefetch, boolean paused, DeliveryHandler handler) {
        places.put(queue, prefetch);
        Consumption consumption = paused
                ? transport.consumePaused(queue, prefetch, handler)
                : transport.consume(queue, prefetch, handler);
        all.add(consumption);
        return consumption;
    }

    /** {@code status}, or unusable if every place in the prefetch of a queue is held by a message whose copy the broker refuses. */
    TransportStatus withStandstills(TransportStatus status, Map<String, HeldDeliveries.Held> held) {
        String blocked = blocked(held);
        return blocked == null
                ? status
                : new TransportStatus(false, "queue '%s' is blocked: %s".formatted(blocked, held.get(blocked)));
    }

    /** A queue of which every place in the prefetch is held. */
    @Nullable
    String blocked(Map<String, HeldDeliveries.Held> held) {
        return held.entrySet().stream()
                .filter(queue -> queue.getValue().count() >= places.getOrDefault(queue.getKey(), 1))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    void forget() {
        all.clear();
    }

    /**
     * Takes no new messages and waits for those being handled.
     *
     * @return whether nothing is being handled any more
     */
    boolean drain(Duration grace) {
        CompletableFuture<?>[] stopped = all.stream().map(Consumption::stop).toArray(CompletableFuture[]::new);
        try {
            timeline.await(CompletableFuture.allOf(stopped), grace);
            return true;
        } catch (TimeoutException e) {
            LOG.warn("Messages are still being handled after {} ms; they will be delivered again", grace.toMillis());
        } catch (ExecutionException e) {
            LOG.warn("A consumption did not stop cleanly; its messages will be delivered again", Printable.inLines(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
