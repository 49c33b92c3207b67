// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what became of messages since the node was created, by type, whatever the application's meter registry keeps. Types are those of
 * the node's handlers, so their number is bounded. Thread-safe.
 */
public final class Tallies {

    private final Map<String, Counters> types = new ConcurrentHashMap<>();

    /**
     * What became of the messages of a type.
     *
     * @param handled completed messages
     * @param retried runs of a handler after its first, and copies that came back later
     * @param setAside messages put into the poison queue
     */
    public record Tally(long handled, long retried, long setAside) {

        public static final Tally NONE = new Tally(0, 0, 0);

        public Tally plus(Tally other) {
            return new Tally(handled + other.handled, retried + other.retried, setAside + other.setAside);
        }
    }

    /** Counters of one type. */
    static final class Counters {
        final LongAdder handled = new LongAdder();
        final LongAdder retried = new LongAdder();
        final LongAdder setAside = new LongAdder();
    }

    Counters of(String type) {
        return types.computeIfAbsent(type, unused -> new Counters());
    }

    /** By type, for types with a handler. */
    public Map<String, Tally> byType() {
        Map<String, Tally> tallies = new TreeMap<>();
        types.forEach((type, counters) ->
                tallies.put(type, new Tally(counters.handled.sum(), counters.retried.sum(), counters.setAside.sum())));
        return tallies;
    }
}
