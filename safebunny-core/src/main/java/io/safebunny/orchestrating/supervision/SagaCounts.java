// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.supervision;

import io.safebunny.observation.Metrics;
import io.safebunny.saga.SagaStatus;
import io.safebunny.spi.store.MessageStore;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** How many sagas there are that have not ended, as the store said when it was last asked. Thread-safe. */
final class SagaCounts {

    private static final List<SagaStatus> UNFINISHED =
            List.of(SagaStatus.ACTIVE, SagaStatus.COMPENSATING, SagaStatus.COMPENSATION_FAILED, SagaStatus.STUCK);

    private final Set<String> sagas;
    private final MessageStore store;
    private final Map<String, Map<SagaStatus, Long>> counts = new ConcurrentHashMap<>();

    SagaCounts(Set<String> sagas, MessageStore store, Metrics metrics) {
        this.sagas = sagas;
        this.store = store;
        sagas.forEach(saga -> metrics.activeSagas(saga, () -> unfinished(saga)));
    }

    /** Asks the store. */
    void refresh() {
        for (String saga : sagas) {
            Map<SagaStatus, Long> found = new EnumMap<>(SagaStatus.class);
            UNFINISHED.forEach(status -> found.put(status, store.countListed(saga, status.name())));
            counts.put(saga, found);
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
