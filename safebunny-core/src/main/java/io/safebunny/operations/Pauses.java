// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The types that are paused on this instance, or have not started because nobody has resumed them. Thread-safe; never blocks. */
final class Pauses {

    private static final String NOT_STARTED = "not started: safebunny.listener.auto-startup is false. Resume it";

    private final CircuitBreakers breakers;
    private final Timeline timeline;
    private final boolean autoStartup;
    private final Map<String, Latest> latest = new TreeMap<>(); // guarded by this, like all fields below
    /** The operation that was last read from the store, by type. Only a different one is new. */
    private final Map<String, String> read = new HashMap<>();

    /** Types that somebody has resumed since this instance started. If the instance started without consuming, it consumes only these. */
    private final Set<String> begun = new HashSet<>();
    /** The queues that belong to no type. They start together with the first type in {@link #begun}. */
    private final List<Consumption> beside = new ArrayList<>();

    private long version;
    /**
     * Whether the last read found no orders. A single such read may come from a replica that lags behind; two in a row mean that the orders
     * were deleted.
     */
    private boolean missing;

    /** When the store was last read, by the monotonic clock; {@code null} for never. */
    private @Nullable Long readAt;

    /** @param autoStartup whether types are consumed before anybody resumes them */
    Pauses(CircuitBreakers breakers, Timeline timeline, boolean autoStartup) {
        this.breakers = breakers;
        this.timeline = timeline;
        this.autoStartup = autoStartup;
    }

    /** @param end ends the pause; {@code null} if the pause is over, or the order was not a pause */
    private record Latest(PauseOrder order, Scope scope, Timeline.@Nullable Cancellable end) {}

    /** Carries out an order for this instance alone. */
    synchronized void apply(PauseOrder order) {
        apply(order, Scope.INSTANCE, order.duration());
        begin(order);
    }

    /** If this instance started without consuming and the order resumes a type, starts to consume the type, unless it is paused. */
    synchronized void begin(PauseOrder order) {
        if (order.isPause() || !begun.add(order.type()) || autoStartup) {
            return;
        }
        if (!isPaused(order.type())) {
            breakers.release(order.type(), resumed(order));
        }
        beside.forEach(consumption -> consumption.pace(Pace.FULL));
        beside.clear();
    }

    /**
     * Carries out stored orders that are new. Ignores a version that is older than the last one read, because a replica may lag behind.
     *
     * @param stored {@code null} if the store has none
     */
    synchronized void apply(StoredOrders.@Nullable Board stored) {
        boolean isMissing = stored == null && version > 0 && !missing;
        if (isMissing || (stored != null && stored.version() < version)) {
            missing = isMissing;
            return;
        }
        missing = false;
        boolean first = readAt == null; // the orders of the first read were given before this instance started
        long now = timeline.nanoTime();
        Duration sinceRead = readAt == null ? PauseLimits.LONGEST_PAUSE : Duration.ofNanos(now - readAt);
        readAt = now;
        version = stored == null ? 0 : stored.version();
        Map<String, PauseOrder> orders = stored == null ? Map.of() : stored.orders();
        orders.forEach((type, order) -> {
            if (!order.operation().equals(read.put(type, order.operation()))) {
                apply(order, Scope.NODE, order.left(timeline.now(), sinceRead));
                if (!first) {
                    begin(order);
                }
            }
        });
        read.entrySet().removeIf(entry -> isWithdrawn(orders, entry.getKey(), entry.getValue()));
    }

    /**
     * Whether the order is gone from the store, and if so, ends its pause. Somebody deleted it, or it was dropped long after its pause was
     * over.
     */
    private boolean isWithdrawn(Map<String, PauseOrder> orders, String type, String operation) {
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

    private void apply(PauseOrder order, Scope scope, Duration left) {
        Latest known = latest.get(order.type());
        Timeline.Cancellable end =
                left.isZero() ? null : timeline.schedule(Purpose.APPLICATION, left, () -> expire(order));
        latest.put(order.type(), new Latest(order, scope, end));
        if (end == null) {
            end(known, resumed(order));
        } else {
            cancel(known);
            breakers.hold(order.type(), paused(order), order.pause(scope));
        }
    }

    private static String resumed(PauseOrder order) {
        return "resumed by %s: %s".formatted(order.by(), order.reason());
    }

    private static String paused(PauseOrder order) {
        return "paused by %s: %s".formatted(order.by(), order.reason());
    }

    private synchronized void expire(PauseOrder order) {
        Latest known = latest.get(order.type());
        if (known != null && known.end != null && known.order.equals(order)) {
            latest.put(order.type(), new Latest(order, known.scope, null));
            release(order.type(), "the pause is over");
        }
    }

    private void end(@Nullable Latest known, String why) {
        cancel(known);
        if (known != null && known.end != null) {
            release(known.order.type(), why);
        }
    }

    /** Releases the type, unless it has not been started: the end of a pause does not start it. */
    private void release(String type, String why) {
        if (hasStarted(type)) {
            breakers.release(type, why);
        } else {
            breakers.hold(type, NOT_STARTED, null);
        }
    }

    private boolean hasStarted(String type) {
        return autoStartup || begun.contains(type);
    }

    private boolean isPaused(String type) {
        Latest known = latest.get(type);
        return known != null && known.end != null;
    }

    private static void cancel(@Nullable Latest known) {
        if (known != null && known.end != null) {
            known.end.cancel();
        }
    }

    /** Whether the operation is the latest one on its type that was read from the store, and has been carried out. */
    synchronized boolean hasRead(String operation) {
        return read.entrySet().stream()
                .anyMatch(entry ->
                        entry.getValue().equals(operation) && (hasStarted(entry.getKey()) || isPaused(entry.getKey())));
    }

    /**
     * Call when the node begins to handle a type; the type may already be paused.
     *
     * @return whether the type must not be consumed yet
     */
    synchronized boolean handles(String type) {
        Latest known = latest.get(type);
        if (known != null && known.end != null) {
            breakers.hold(type, paused(known.order), known.order.pause(known.scope));
            return true;
        }
        if (!hasStarted(type)) {
            breakers.hold(type, NOT_STARTED, null);
            return true;
        }
        return false;
    }

    synchronized boolean hasBegun() {
        return autoStartup || !begun.isEmpty();
    }

    /** Starts the consumption together with the first type, or at once if one has started. */
    synchronized void paces(Consumption consumption) {
        if (hasBegun()) {
            consumption.pace(Pace.FULL);
        } else {
            beside.add(consumption);
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
