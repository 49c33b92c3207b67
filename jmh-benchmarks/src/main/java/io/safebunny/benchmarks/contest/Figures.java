// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The results of one measurement by name, in display order. Immutable. */
public record Figures(Map<String, Double> byName) {

    public static final String PER_SECOND = "messages/s";
    public static final String SAGAS_PER_SECOND = "sagas/s";

    public Figures {
        byName = new LinkedHashMap<>(byName);
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
