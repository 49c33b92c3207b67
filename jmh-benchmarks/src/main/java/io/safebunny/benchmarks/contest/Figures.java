// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.LinkedHashMap;
import java.util.Map;

/** What one measurement gave, by name, in the order in which it is to be shown. Immutable. */
public record Figures(Map<String, Double> byName) {

    public static final String PER_SECOND = "messages/s";

    public Figures {
        byName = new LinkedHashMap<>(byName);
    }

    /** A rate. */
    public static Figures perSecond(long messages, long nanos) {
        return new Figures(Map.of(PER_SECOND, messages * 1e9 / nanos));
    }
}
