// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.observation.Metrics;
import io.safebunny.saga.SagaStatus;
import io.safebunny.spi.store.MessageStore;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** How many sagas there are that have not ended, as the store said when it was last asked. Thread-safe. */
final class SagaCounts {

    private static final List<SagaStatus> UNFINISHED =
            List.of(SagaStatus.ACTIVE, SagaStatus.COMPENSATING, SagaStatus.COMPENSATION_FAILED, SagaStatus.STUCK);

    private final SagaTypes types;
    private final MessageStore store;
    private final Map<String, Map<SagaStatus, Long>> counts = new ConcurrentHashMap<>();

    SagaCounts(SagaTypes types, MessageStore store, Metrics metrics) {
        this.types = types;
        this.store = store;
        types.all().forEach(type -> metrics.activeSagas(type.name(), () -> unfinished(type.name())));
    }

    /** Asks the store. */
    void refresh() {
        for (SagaType type : types.all()) {
            Map<SagaStatus, Long> found = new EnumMap<>(SagaStatus.class);
            UNFINISHED.forEach(status -> found.put(status, store.countListed(type.name(), status.name())));
            counts.put(type.name(), found);
        }
    }

    private long unfinished(String saga) {
        return counts.getOrDefault(saga, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Those that go on only when a person has looked after them, by name of the saga; without zeros. */
    Map<String, Map<SagaStatus, Long>> needingRepair() {
        Map<String, Map<SagaStatus, Long>> needing = new TreeMap<>();
        counts.forEach((saga, found) -> found.forEach((status, count) -> {
            if (status.needsRepair() && count > 0) {
                needing.computeIfAbsent(saga, unused -> new EnumMap<>(SagaStatus.class))
                        .put(status, count);
            }
        }));
        return needing;
    }
}
