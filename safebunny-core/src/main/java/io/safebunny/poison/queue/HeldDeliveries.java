// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.transport.Delivery;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Deliveries that are stuck because the broker refuses the copy of their message. Thread-safe. */
public final class HeldDeliveries {

    private final Map<Delivery, String> reasons = new ConcurrentHashMap<>();

    void hold(Delivery delivery, String reason) {
        reasons.put(delivery, reason);
    }

    void release(Delivery delivery) {
        reasons.remove(delivery);
    }

    /**
     * The held deliveries of one queue.
     *
     * @param count deliveries held now; each takes a place in the prefetch window
     * @param reason why one of them is held
     */
    public record Held(int count, String reason) {

        @Override
        public String toString() {
            return "%s message%s can neither be handled nor set aside: %s"
                    .formatted(count, count == 1 ? "" : "s", reason);
        }
    }

    /** The deliveries held now, by queue; queues without any are absent. */
    public Map<String, Held> byQueue() {
        Map<String, Held> queues = new TreeMap<>();
        reasons.forEach((delivery, reason) -> queues.merge(
                delivery.message().queue(),
                new Held(1, reason),
                (one, other) -> new Held(one.count() + other.count(), one.reason())));
        return queues;
    }
}
