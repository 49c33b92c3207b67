// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.traffic;

import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.topology.Topology;
import io.safebunny.transport.IncomingMessage;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts deliveries to the nodes by queue, counts duplicates, and notes when something last moved. Thread-safe. */
public final class Traffic {

    /** How many of the latest messages are remembered; a duplicate after that many others is not recognised. */
    private static final int REMEMBERED = 300_000;

    private final Set<Seen> seen = new LinkedHashSet<>();
    private final AtomicLong duplicates = new AtomicLong();
    private final AtomicLong redelivered = new AtomicLong();
    private final AtomicInteger beingHandled = new AtomicInteger();
    private final Set<String> queues = ConcurrentHashMap.newKeySet();
    private volatile long lastMoved = System.nanoTime();
    private final AtomicLong backAt = new AtomicLong(System.nanoTime());

    private record Seen(String queue, String messageId, String attempt) {}

    void planned(Topology topology) {
        topology.queues().forEach(queue -> queues.add(queue.name()));
    }

    /** Queues of all nodes that were started. */
    public Set<String> queues() {
        return Set.copyOf(queues);
    }

    void begun(IncomingMessage delivery) {
        beingHandled.incrementAndGet();
        moved();
        if (delivery.redelivered()) {
            redelivered.incrementAndGet();
        }
        String id = delivery.message().messageId();
        if (id == null || !Names.isMessageId(id)) {
            return; // violates the wire contract, so nobody can tell whether it is a duplicate
        }
        Object attempt = delivery.message().headers().get(Headers.ATTEMPT);
        String attempts = attempt instanceof Number number ? number.toString() : "0";
        if (!remember(new Seen(delivery.queue(), id, attempts))) {
            duplicates.incrementAndGet();
        }
    }

    private boolean remember(Seen delivery) {
        synchronized (seen) {
            boolean first = seen.add(delivery);
            if (seen.size() > REMEMBERED) {
                seen.remove(seen.iterator().next());
            }
            return first;
        }
    }

    void ended() {
        moved();
        beingHandled.decrementAndGet();
    }

    public void moved() {
        lastMoved = System.nanoTime();
    }

    /** A message was put off. Until it is back, and then for as long as the silence must last, nothing is quiet. */
    void comesBackAfter(Duration delay) {
        long at = System.nanoTime() + delay.toNanos();
        backAt.accumulateAndGet(at, (one, other) -> one - other > 0 ? one : other);
    }

    public long duplicates() {
        return duplicates.get();
    }

    public long redelivered() {
        return redelivered.get();
    }

    public long lastMoved() {
        return lastMoved;
    }

    public boolean quietFor(Duration duration) {
        long now = System.nanoTime();
        return beingHandled.get() == 0
                && now - lastMoved >= duration.toNanos()
                && now - backAt.get() >= duration.toNanos();
    }
}
