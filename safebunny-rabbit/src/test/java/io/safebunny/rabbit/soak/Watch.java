// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.time.Timeline;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Watches a run, interval by interval: how long orders take, and what the process needs. Thread-safe. */
final class Watch {

    private static final int INTERVALS = 60;
    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final double NANOS_PER_MILLI = 1e6;
    private static final long MEGABYTE = 1 << 20;

    private final long length;
    private final Timeline timeline;
    private final Supplier<Needs> needs;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final List<Interval> intervals = new ArrayList<>();
    private List<Long> took = new ArrayList<>();
    private long least = Long.MAX_VALUE;
    private long start;
    private long end;

    /** What the process has at a moment. */
    record Needs(long heapBytes, int threads, int connections) {

        static Needs now(int connections) {
            return new Needs(
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                    ManagementFactory.getThreadMXBean().getThreadCount(),
                    connections);
        }
    }

    /** Divides the duration into sixty intervals, or into as many of 5 s as it has. */
    Watch(Duration duration, Timeline timeline, Supplier<Needs> needs) {
        Duration part = duration.dividedBy(INTERVALS);
        this.length = (part.compareTo(SHORTEST) < 0 ? SHORTEST : part).toNanos();
        this.timeline = timeline;
        this.needs = needs;
    }

    static Watch of(Duration duration, Timeline timeline, IntSupplier connections) {
        return new Watch(duration, timeline, () -> Needs.now(connections.getAsInt()));
    }

    /** The traffic begins, and with it the first interval. */
    synchronized void begin() {
        start = timeline.nanoTime();
        end = start + length;
    }

    /** An order is about to be published for the first time. */
    void publishing(Order order) {
        if (order.delay().isZero() && !order.failsOnce()) {
            begun.put(Order.id(order.number()), timeline.nanoTime());
        }
    }

    /** The node with deduplication has handled a message. */
    void handled(String id) {
        Long since = begun.remove(id);
        if (since != null) {
            add(timeline.nanoTime() - since);
        }
    }

    private synchronized void add(long nanos) {
        took.add(nanos);
    }

    /** Call it every few seconds, at least as often as an interval ends. */
    synchronized void look() {
        Needs now = needs.get();
        least = Math.min(least, now.heapBytes());
        if (timeline.nanoTime() - end >= 0) {
            intervals.add(interval(now));
            took = new ArrayList<>();
            least = Long.MAX_VALUE;
            while (timeline.nanoTime() - end >= 0) {
                end += length; // a look that came late ends one interval, not several
            }
        }
    }

    private Interval interval(Needs now) {
        long[] sorted = took.stream().mapToLong(Long::longValue).sorted().toArray();
        return new Interval(
                Duration.ofNanos(timeline.nanoTime() - start).toSeconds(),
                sorted.length,
                millis(sorted, 0.5),
                millis(sorted, 0.99),
                millis(sorted, 1),
                least / MEGABYTE,
                now.threads(),
                now.connections());
    }

    /** The smallest time that at least this part of all did not exceed. */
    private static double millis(long[] sorted, double part) {
        int index = Math.max((int) Math.ceil(part * sorted.length) - 1, 0);
        return sorted.length == 0 ? 0 : Math.round(sorted[index] / NANOS_PER_MILLI * 10) / 10.0;
    }

    /** Those that have ended. */
    synchronized List<Interval> intervals() {
        return List.copyOf(intervals);
    }
}
