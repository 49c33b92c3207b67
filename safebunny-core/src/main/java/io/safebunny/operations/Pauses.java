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

/** What is paused on this instance, or has not begun because nobody has resumed it yet. Thread-safe; nothing blocks. */
final class Pauses {

    private static final String NOT_STARTED = "not started: safebunny.listener.auto-startup is false. Resume it";

    private final CircuitBreakers breakers;
    private final Timeline timeline;
    private final boolean autoStartup;
    private final Map<String, Latest> latest = new TreeMap<>(); // guarded by this, as all below
    /** By type, the operation that was last read from the store: only another one is news. */
    private final Map<String, String> read = new HashMap<>();

    /** Types that somebody has resumed since this instance runs: only these are consumed if it started without consuming. */
    private final Set<String> begun = new HashSet<>();
    /** What waits for the first of them. */
    private final List<Consumption> beside = new ArrayList<>();

    private long version;
    /** Read once without any order, which a replica may say that is behind; twice, and they were deleted. */
    private boolean missing;

    /** When the store was last read, by the monotonic clock; {@code null} for never. */
    private @Nullable Long readAt;

    /** @param autoStartup whether types are consumed before anybody resumes them */
    Pauses(CircuitBreakers breakers, Timeline timeline, boolean autoStartup) {
        this.breakers = breakers;
        this.timeline = timeline;
        this.autoStartup = autoStartup;
    }

    /** @param end of the pause; {@code null} when it is over, or was none */
    private record Latest(PauseOrder order, Scope scope, Timeline.@Nullable Cancellable end) {}

    /** Does what is ordered of this instance alone. */
    synchronized void apply(PauseOrder order) {
        apply(order, Scope.INSTANCE, order.duration());
        begin(order);
    }

    /** If it resumes: an instance that started without consuming consumes the type from now on, unless it is paused. */
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
        boolean first = readAt == null; // what is there already was said before this instance started
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

    /** Somebody has deleted it from the store; one that was over long ago deletes itself. */
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

    /** The end of a pause starts nothing that has not started. */
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

    /** Whether this is the latest operation on its type that the store was found to have, and is carried out. */
    synchronized boolean hasRead(String operation) {
        return read.entrySet().stream()
                .anyMatch(entry ->
                        entry.getValue().equals(operation) && (hasStarted(entry.getKey()) || isPaused(entry.getKey())));
    }

    /**
     * The node handles this type from now on: perhaps it is paused already.
     *
     * @return whether it must not be consumed yet
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

    /** Sets it going when the first type begins. */
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
