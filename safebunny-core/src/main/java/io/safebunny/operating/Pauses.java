// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operating;

import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is paused on this instance. Thread-safe; nothing blocks. */
final class Pauses {

    private final CircuitBreakers breakers;
    private final Timeline timeline;
    private final Map<String, Latest> latest = new TreeMap<>(); // guarded by this, as all below
    /** By type, the operation that was last read from the store: only another one is news. */
    private final Map<String, String> read = new HashMap<>();

    private long version;
    /** Read once without any order, which a replica may say that is behind; twice, and they were deleted. */
    private boolean missing;

    /** When the store was last read, by the monotonic clock; {@code null} for never. */
    private @Nullable Long readAt;

    Pauses(CircuitBreakers breakers, Timeline timeline) {
        this.breakers = breakers;
        this.timeline = timeline;
    }

    /** @param end of the pause; {@code null} when it is over, or was none */
    private record Latest(Order order, Scope scope, Timeline.@Nullable Cancellable end) {}

    /** Does what is ordered of this instance alone. */
    synchronized void apply(Order order) {
        apply(order, Scope.INSTANCE, order.duration());
    }

    /**
     * Does what the store says and was not known yet. What is older than what was read before counts for nothing: a replica may be behind.
     *
     * @param stored {@code null} when the store has nothing
     */
    synchronized void apply(StoredOrders.@Nullable Board stored) {
        boolean isMissing = stored == null && version > 0 && !missing;
        if (isMissing || (stored != null && stored.version() < version)) {
            missing = isMissing;
            return;
        }
        missing = false;
        long now = timeline.nanoTime();
        Duration sinceRead = readAt == null ? Limits.LONGEST_PAUSE : Duration.ofNanos(now - readAt);
        readAt = now;
        version = stored == null ? 0 : stored.version();
        Map<String, Order> orders = stored == null ? Map.of() : stored.orders();
        orders.forEach((type, order) -> {
            if (!order.operation().equals(read.put(type, order.operation()))) {
                apply(order, Scope.NODE, order.left(timeline.now(), sinceRead));
            }
        });
        read.entrySet().removeIf(entry -> isWithdrawn(orders, entry.getKey(), entry.getValue()));
    }

    /** Somebody has deleted it from the store; one that was over long ago deletes itself. */
    private boolean isWithdrawn(Map<String, Order> orders, String type, String operation) {
        if (orders.containsKey(type)) {
            return false;
        }
        Latest known = latest.get(type);
        if (known != null && known.order.operation().equals(operation)) {
            latest.remove(type);
            end(known, "the pause is no longer in the store");
        }
        return true;
    }

    private void apply(Order order, Scope scope, Duration left) {
        Latest known = latest.get(order.type());
        Timeline.Cancellable end =
                left.isZero() ? null : timeline.schedule(Purpose.APPLICATION, left, () -> expire(order));
        latest.put(order.type(), new Latest(order, scope, end));
        if (end == null) {
            end(known, "resumed by %s: %s".formatted(order.by(), order.reason()));
        } else {
            cancel(known);
            breakers.hold(order.type(), "paused by %s: %s".formatted(order.by(), order.reason()));
        }
    }

    private synchronized void expire(Order order) {
        Latest known = latest.get(order.type());
        if (known != null && known.end != null && known.order.equals(order)) {
            latest.put(order.type(), new Latest(order, known.scope, null));
            breakers.release(order.type(), "the pause is over");
        }
    }

    private void end(@Nullable Latest known, String why) {
        cancel(known);
        if (known != null && known.end != null) {
            breakers.release(known.order.type(), why);
        }
    }

    private static void cancel(@Nullable Latest known) {
        if (known != null && known.end != null) {
            known.end.cancel();
        }
    }

    /** Whether this is the latest operation on its type that the store was found to have. */
    synchronized boolean hasRead(String operation) {
        return read.containsValue(operation);
    }

    /** The node handles this type from now on: perhaps it is paused already. */
    synchronized void handles(String type) {
        Latest known = latest.get(type);
        if (known != null && known.end != null) {
            breakers.hold(type, "paused by %s: %s".formatted(known.order.by(), known.order.reason()));
        }
    }

    synchronized List<Pause> all() {
        return latest.values().stream()
                .filter(known -> known.end != null)
                .map(known -> known.order.pause(known.scope))
                .toList();
    }

    synchronized void stop() {
        latest.values().forEach(Pauses::cancel);
        latest.clear();
    }
}
