// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The messages that one queue of a real broker holds, as far as the application's nodes know: sent but not delivered, or delivered but not
 * settled. Not thread-safe.
 */
final class QueueCopies {

    private static final int MOST_NAMED = 5;
    /** Number of times that the queue must be seen at rest. A single time proves nothing, because a consumer may just be being replaced. */
    private static final int LOOKS = 2;

    /** Asks the broker about a queue. */
    interface Look {
        /** Whether nobody consumes the queue, and at least this many messages are in it. */
        boolean isAtRest(String queue, int copies);
    }

    private final String queue;
    private final Map<String, Integer> inQueue = new LinkedHashMap<>();
    private final List<CountedDelivery> taken = new ArrayList<>();
    private int count;
    /** Maximum number of deliveries at once; 0 while the queue should not be consumed. */
    private int limit;
    /** How often the broker must still report that the queue is at rest, after its consumption ended. */
    private int looks;
    /** Whether there were redeliveries: these may be isolated, or go to another consumer, so that others have to wait for them. */
    private boolean isDisturbed;

    private @Nullable CompletableFuture<Void> stopped;

    QueueCopies(String queue) {
        this.queue = queue;
    }

    void put(String id) {
        inQueue.merge(id, 1, Integer::sum);
        count++;
    }

    /** @return whether there was a copy with this id */
    boolean remove(String id) {
        Integer copies = inQueue.get(id);
        if (copies == null) {
            return false;
        }
        if (copies == 1) {
            inQueue.remove(id);
        } else {
            inQueue.put(id, copies - 1);
        }
        count--;
        return true;
    }

    /** Notes a delivery. Unknown messages are accepted, because the broker redelivers messages that were settled too late. */
    void take(CountedDelivery delivery) {
        if (!remove(delivery.id())) {
            taken.stream()
                    .filter(earlier -> earlier.id().equals(delivery.id()) && earlier.isLost())
                    .findFirst()
                    .ifPresent(taken::remove); // it has become this redelivery
        }
        isDisturbed |= delivery.message().redelivered();
        taken.add(delivery);
    }

    /** @return false if the delivery was settled already */
    boolean settle(CountedDelivery delivery) {
        boolean was = taken.remove(delivery);
        isDisturbed &= !taken.isEmpty() || count > 0;
        return was;
    }

    void putBack(CountedDelivery delivery) {
        if (taken.remove(delivery)) {
            isDisturbed = true;
            put(delivery.id());
        }
    }

    void limit(int other) {
        looks = other == 0 ? LOOKS : 0;
        limit = other;
    }

    void stop(CompletableFuture<Void> end) {
        stopped = end;
    }

    boolean isAwaited(Look look) {
        if (stopped != null) {
            return taken.isEmpty() && !stopped.isDone();
        }
        if (limit == 0) {
            return looks > 0 && !isAtRest(look);
        }
        return count > 0 && (taken.isEmpty() || (!isDisturbed && taken.size() < limit));
    }

    private boolean isAtRest(Look look) {
        looks = look.isAtRest(queue, count) ? looks - 1 : LOOKS;
        return looks == 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    List<CountedDelivery> taken() {
        return taken;
    }

    void forget() {
        inQueue.clear();
        count = 0;
        looks = 0;
        isDisturbed = false;
        if (stopped != null) {
            stopped = null;
            limit = 0;
        }
    }

    @Override
    public String toString() {
        if (stopped != null) {
            return "the end of the consumption of queue " + queue;
        }
        if (limit == 0) {
            return "the end of what queue %s delivered before it was paused".formatted(queue);
        }
        String more = inQueue.size() > MOST_NAMED ? " …" : "";
        return "%s message(s) of queue %s, %s%s"
                .formatted(
                        count,
                        queue,
                        String.join(
                                ", ",
                                inQueue.keySet().stream().limit(MOST_NAMED).toList()),
                        more);
    }
}
