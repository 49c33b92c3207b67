// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operating;

import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is paused on this instance, and the latest order about each type. Thread-safe; nothing blocks. */
final class Pauses {

    private final CircuitBreakers breakers;
    private final Timeline timeline;
    private final Map<String, Latest> latest = new TreeMap<>(); // guarded by this

    Pauses(CircuitBreakers breakers, Timeline timeline) {
        this.breakers = breakers;
        this.timeline = timeline;
    }

    /** @param end of the pause; {@code null} when it is over, or was none */
    private record Latest(Order order, Scope scope, Timeline.@Nullable Cancellable end) {}

    /** The number of the next order about a type: higher than all that are known, and than those of earlier processes. */
    synchronized long nextSequence(String type) {
        Latest known = latest.get(type);
        long now = timeline.now().toEpochMilli();
        return known == null ? now : Math.max(now, known.order.sequence() + 1);
    }

    /**
     * Does what is ordered, unless a later order is known.
     *
     * @param left of the pause; zero when it is over, and to resume
     * @return whether this order is the latest
     */
    synchronized boolean apply(Order order, Scope scope, Duration left) {
        Latest known = latest.get(order.type());
        if (known != null && known.order.sequence() >= order.sequence()) {
            return known.order.operation().equals(order.operation());
        }
        cancel(known);
        boolean wasPaused = known != null && known.end != null;
        latest.put(
                order.type(),
                new Latest(
                        order,
                        scope,
                        left.isZero() ? null : timeline.schedule(Purpose.APPLICATION, left, () -> expire(order))));
        if (!left.isZero()) {
            breakers.hold(order.type(), "paused by %s: %s".formatted(order.by(), order.reason()));
        } else if (wasPaused) {
            breakers.release(order.type(), "resumed by %s: %s".formatted(order.by(), order.reason()));
        }
        return true;
    }

    private synchronized void expire(Order order) {
        Latest known = latest.get(order.type());
        if (known != null && known.end != null && known.order.equals(order)) {
            latest.put(order.type(), new Latest(order, known.scope, null));
            breakers.release(order.type(), "the pause is over");
        }
    }

    private static void cancel(@Nullable Latest known) {
        if (known != null && known.end != null) {
            known.end.cancel();
        }
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
