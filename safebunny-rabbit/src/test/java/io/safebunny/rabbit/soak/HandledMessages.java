// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What one node handled and how often. Thread-safe. */
final class HandledMessages {

    private final Map<String, Integer> times = new ConcurrentHashMap<>();
    private final AtomicInteger orders = new AtomicInteger();
    private final Pulse pulse = new Pulse();

    void add(String id) {
        if (times.merge(id, 1, Integer::sum) == 1 && id.startsWith("order-")) {
            orders.incrementAndGet();
        }
        pulse.beat();
    }

    boolean contains(String id) {
        return times.containsKey(id);
    }

    /** How many different orders. */
    int orders() {
        return orders.get();
    }

    Set<String> ids() {
        return times.keySet();
    }

    /** How many different messages. */
    int count() {
        return times.size();
    }

    int handledTwice() {
        return (int) times.values().stream().filter(count -> count > 1).count();
    }

    Pulse pulse() {
        return pulse;
    }
}
