// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.time.Timeline.Purpose;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Timers by purpose, ordered by due time, then by the order of addition. Confined to the running thread. */
final class Timers {

    private final Map<Purpose, PriorityQueue<Timer>> byPurpose = new EnumMap<>(Purpose.class);
    private long added;

    Timers() {
        for (Purpose purpose : Purpose.values()) {
            byPurpose.put(purpose, new PriorityQueue<>());
        }
    }

    /** @param due in nanoseconds since the beginning */
    record Timer(Purpose purpose, long due, long order, SimulatedProcess process, Runnable action)
            implements Comparable<Timer> {

        @Override
        public int compareTo(Timer other) {
            return due == other.due ? Long.compare(order, other.order) : Long.compare(due, other.due);
        }

        // compared by identity: two timers are never the same
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public String toString() {
            return "%s at %s s".formatted(process, due / 1e9);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(order);
        }
    }

    Timer add(Purpose purpose, long due, SimulatedProcess process, Runnable action) {
        Timer timer = new Timer(purpose, due, added++, process, action);
        queue(purpose).add(timer);
        return timer;
    }

    void cancel(Timer timer) {
        queue(timer.purpose()).remove(timer);
    }

    void forget(SimulatedProcess process) {
        byPurpose.values().forEach(queue -> queue.removeIf(timer -> timer.process() == process));
    }

    int count(Purpose purpose) {
        return queue(purpose).size();
    }

    /** The first timer with one of these purposes; {@code null} for none. */
    @Nullable
    Timer first(Predicate<Purpose> meant) {
        Timer first = null;
        for (Purpose purpose : Purpose.values()) {
            Timer candidate = queue(purpose).peek();
            if (candidate != null && meant.test(purpose) && (first == null || candidate.compareTo(first) < 0)) {
                first = candidate;
            }
        }
        return first;
    }

    /** Removes and returns the timers that are due by then, in order. */
    List<Timer> due(long by) {
        List<Timer> due = new ArrayList<>();
        for (Timer next = first(purpose -> true); next != null && next.due() <= by; next = first(purpose -> true)) {
            queue(next.purpose()).remove();
            due.add(next);
        }
        return due;
    }

    /** The timers of one purpose, in order. */
    List<Timer> all(Purpose purpose) {
        return queue(purpose).stream().sorted(Comparator.naturalOrder()).toList();
    }

    private PriorityQueue<Timer> queue(Purpose purpose) {
        return Objects.requireNonNull(byPurpose.get(purpose));
    }
}
