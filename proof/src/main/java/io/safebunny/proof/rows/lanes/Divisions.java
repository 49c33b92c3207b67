// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.proof.rows.lanes.Step.Holding;
import io.safebunny.proof.rows.lanes.Step.Skipping;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Among how many shards the store says that {@link Step}s are divided. Thread-safe. */
record Divisions(MessageStore store) {

    /** Whether it is this number for all types, and no change to another one is under way. */
    boolean areAll(int shards) {
        return Stream.of(Skipping.class, Holding.class)
                .map(this::of)
                .allMatch(division ->
                        String.valueOf(shards).equals(division.get("count")) && !division.containsKey("to"));
    }

    /** For people. */
    String describe() {
        return Stream.of(Skipping.class, Holding.class)
                .map(type -> type.getSimpleName() + ' ' + of(type))
                .collect(Collectors.joining(", "));
    }

    private Map<String, String> of(Class<? extends Step> type) {
        MessageRecord found = store.find(RecordKey.companion("bunny.shards." + type.getSimpleName(), "bunny.shards"));
        return found == null ? Map.of() : found.steps();
    }
}
