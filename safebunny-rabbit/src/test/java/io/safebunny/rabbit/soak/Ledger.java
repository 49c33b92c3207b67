// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What was confirmed to the publisher and what the nodes handled. Thread-safe. */
final class Ledger {

    final HandledMessages deduplicating = new HandledMessages();
    final HandledMessages forgetful = new HandledMessages();
    final AtomicInteger published = new AtomicInteger();
    final AtomicInteger failed = new AtomicInteger();
    final Pulse confirms = new Pulse();
    private final Set<Integer> confirmed = ConcurrentHashMap.newKeySet();
    private final Map<Integer, String> failures = new ConcurrentHashMap<>();

    void confirmed(int order) {
        confirmed.add(order);
        confirms.beat();
    }

    /** The publisher was told that the order is not confirmed. */
    void failed(int order, Throwable failure) {
        failed.incrementAndGet();
        failures.put(order, failure.toString());
    }

    int confirmedOrders() {
        return confirmed.size();
    }

    /** Confirmed orders that the slower node has yet to handle, roughly. */
    int backlog() {
        return confirmed.size() - Math.min(deduplicating.orders(), forgetful.orders());
    }

    /**
     * What the node should have handled and did not: orders that were confirmed to the publisher, and receipts of the orders it handled,
     * which it does not acknowledge before their receipts are confirmed.
     */
    List<String> missing(HandledMessages node) {
        List<String> missing = new ArrayList<>();
        confirmed.stream().map(Order::id).filter(id -> !node.contains(id)).forEach(missing::add);
        node.ids().stream()
                .filter(Ledger::isOrder)
                .map(Ledger::number)
                .filter(Order::hasReceipt)
                .map(Receipt::id)
                .filter(id -> !node.contains(id))
                .forEach(missing::add);
        return missing;
    }

    /** The rest of the run says nothing of pauses. */
    void endPulses() {
        confirms.end();
        deduplicating.pulse().end();
        forgetful.pulse().end();
    }

    /** What is known of a message that the node did not handle. */
    String explain(String id, HandledMessages node) {
        int number = number(id);
        HandledMessages other = node == deduplicating ? forgetful : deduplicating;
        Order order = new Order(number);
        return "%s: order %s, earlier failure %s, order handled here: %s, by the other node: %s, fails once: %s, delay: %s"
                .formatted(
                        id,
                        confirmed.contains(number) ? "confirmed" : "not confirmed",
                        failures.getOrDefault(number, "none"),
                        node.contains(Order.id(number)),
                        other.contains(id),
                        order.failsOnce(),
                        order.delay());
    }

    static boolean isOrder(String id) {
        return id.startsWith("order-");
    }

    private static int number(String id) {
        return Integer.parseInt(id.substring(id.indexOf('-') + 1));
    }
}
