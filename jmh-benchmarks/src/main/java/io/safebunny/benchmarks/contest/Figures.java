// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results of one measurement by name, in display order. Immutable.
 *
 * @param bins how it went over time; empty if nobody looked
 */
public record Figures(Map<String, Double> byName, List<Bin> bins) {

    public static final String PER_SECOND = "messages/s";
    public static final String SAGAS_PER_SECOND = "sagas/s";

    public Figures {
        byName = new LinkedHashMap<>(byName);
        bins = List.copyOf(bins);
    }

    public Figures(Map<String, Double> byName) {
        this(byName, List.of());
    }

    /** The usual percentiles of what was measured, in milliseconds. */
    public static Map<String, Double> of(Latencies latencies) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("median, ms", latencies.millis(0.5));
        figures.put("95th percentile, ms", latencies.millis(0.95));
        figures.put("99th percentile, ms", latencies.millis(0.99));
        figures.put("slowest, ms", latencies.millis(1));
        return figures;
    }

    /** A rate in messages per second. */
    public static Figures perSecond(long messages, long nanos) {
        return new Figures(Map.of(PER_SECOND, messages * 1e9 / nanos));
    }

    /** The rate by which contenders are compared: that of messages or of sagas. */
    Optional<Double> rate() {
        return Optional.ofNullable(byName.getOrDefault(PER_SECOND, byName.get(SAGAS_PER_SECOND)));
    }
}
