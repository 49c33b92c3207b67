// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A histogram over time: what ended in each {@value #MILLIS} ms since it was made, and how long it took. Thread-safe. */
public final class Bins {

    public static final int MILLIS = 100;

    private final long begin;
    private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();

    private record Ended(long at, long took) {}

    /** @param begin of the first bin, by {@link System#nanoTime()} */
    public Bins(long begin) {
        this.begin = begin;
    }

    /**
     * @param at when, by {@link System#nanoTime()}
     * @param took nanoseconds
     */
    public void add(long at, long took) {
        ended.add(new Ended(at, took));
    }

    /** How many there are. */
    public int ended() {
        return ended.size();
    }

    /** Of all of them; at least one. */
    public Latencies latencies() {
        return Latencies.of(ended.stream().mapToLong(Ended::took).toArray());
    }

    /** One after the other, from the beginning to the last that is not empty. */
    public List<Bin> list() {
        TreeMap<Integer, List<Long>> byBin = new TreeMap<>();
        for (Ended each : ended) {
            int bin = (int) (TimeUnit.NANOSECONDS.toMillis(each.at() - begin) / MILLIS);
            byBin.computeIfAbsent(Math.max(bin, 0), key -> new ArrayList<>()).add(each.took());
        }
        List<Bin> bins = new ArrayList<>();
        for (Map.Entry<Integer, List<Long>> entry : byBin.entrySet()) {
            while (bins.size() < entry.getKey()) {
                bins.add(new Bin(0, 0, 0, 0));
            }
            Latencies took = Latencies.of(
                    entry.getValue().stream().mapToLong(Long::longValue).toArray());
            bins.add(new Bin(entry.getValue().size(), took.millis(0.5), took.millis(0.95), took.millis(0.99)));
        }
        return bins;
    }
}
