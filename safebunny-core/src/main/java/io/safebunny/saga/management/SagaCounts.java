// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Numbers of sagas that have not ended, as of the last answer of the store. Thread-safe. */
final class SagaCounts {

    private static final Logger LOG = LoggerFactory.getLogger(SagaCounts.class);
    private static final Subject FAILED = Subject.warn(LOG, "Sagas cannot be counted");

    /** Listing statuses of sagas that have not ended. */
    private static final List<String> UNFINISHED = Arrays.stream(SagaStatus.values())
            .filter(status -> !status.isEnded())
            .flatMap(status -> SagaDocument.listings(status).stream())
            .toList();

    /** A saga that waits for an undo counts as late after this time; delayed retries usually take less. */
    private static final Duration LATE = Duration.ofHours(1);

    private static final int MOST_READ = 100;

    /** If there are more active sagas than this, they are counted only in every tenth round, because counting takes a store a while. */
    private static final long FEW = 1_000;

    private static final int SELDOM = 10;

    private final Set<String> sagas;
    private final MessageStore store;
    private final Timeline timeline;
    private final BoundedLog log;
    private final Map<String, Map<String, Long>> counts = new ConcurrentHashMap<>();
    private final Map<String, UndoingSagas> undoing = new ConcurrentHashMap<>();
    private volatile @Nullable Instant asOf;
    /** Used by one thread at a time. */
    private int rounds;

    SagaCounts(Node node, Set<String> sagas) {
        this.sagas = sagas;
        this.store = node.requireStore();
        this.timeline = node.timeline();
        this.log = node.log();
        sagas.forEach(node.metrics()::registerSaga);
        sagas.forEach(saga -> node.metrics().activeSagas(saga, () -> unfinished(saga)));
    }

    /** Asks the store for the figures; called by one thread at a time. If the store does not answer, the figures stay as they were. */
    void refresh() {
        try {
            Instant asked = timeline.now();
            ask();
            rounds++;
            asOf = asked;
            log.works(FAILED);
        } catch (RuntimeException e) {
            log.fails(
                    FAILED,
                    "sagas",
                    () -> LOG.warn(
                            "Sagas cannot be counted now: health and meters show the last figures", log.tellable(e)));
        }
    }

    private void ask() {
        for (String saga : sagas) {
            Map<String, Long> found = new HashMap<>();
            UNFINISHED.forEach(listed -> found.put(listed, count(saga, listed)));
            counts.put(saga, found);
            long count = found.getOrDefault(SagaStatus.COMPENSATING.name(), 0L);
            UndoingSagas waiting = count == 0 ? null : undoing(saga, count);
            if (waiting == null) {
                undoing.remove(saga);
            } else {
                undoing.put(saga, waiting);
            }
        }
    }

    private long count(String saga, String listed) {
        Long known = counts.getOrDefault(saga, Map.of()).get(listed);
        boolean isKept =
                listed.equals(SagaStatus.ACTIVE.name()) && known != null && known > FEW && rounds % SELDOM != 0;
        return isKept ? known : store.countListed(saga, listed);
    }

    /** When the store was asked for these figures; {@code null} before its first answer. */
    @Nullable
    Instant asOf() {
        return asOf;
    }

    /** The sagas of this name that wait for an undo; {@code null} if none still does. */
    private @Nullable UndoingSagas undoing(String saga, long count) {
        ListingQuery query = new ListingQuery(saga, SagaStatus.COMPENSATING.name(), null, null, MOST_READ);
        return store.findListed(query).stream()
                .flatMap(stored -> SagaDocument.ifReadable(saga, stored).stream())
                .map(SagaDocument::changedAt)
                .min(Instant::compareTo)
                .map(oldest -> new UndoingSagas(
                        count, oldest, oldest.isBefore(timeline.now().minus(LATE))))
                .orElse(null);
    }

    Map<String, UndoingSagas> undoing() {
        return new TreeMap<>(undoing);
    }

    private long unfinished(String saga) {
        return counts.getOrDefault(saga, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Sagas that wait for an operator, by name; without zeros. */
    Map<String, Map<SagaStatus, Long>> needingRepair() {
        Map<String, Map<SagaStatus, Long>> needing = new TreeMap<>();
        counts.forEach((saga, found) -> {
            for (SagaStatus status : SagaStatus.values()) {
                long count = found.getOrDefault(status.name(), 0L);
                if (status.needsRepair() && count > 0) {
                    needing.computeIfAbsent(saga, unused -> new EnumMap<>(SagaStatus.class))
                            .put(status, count);
                }
            }
        });
        return needing;
    }

    /** Active sagas that wait for a message that was set aside, or are idle since a repair, by name; without zeros. */
    Map<String, Long> blocked() {
        Map<String, Long> blocked = new TreeMap<>();
        counts.forEach((saga, found) -> blocked.put(saga, found.getOrDefault(SagaDocument.BLOCKED, 0L)));
        blocked.values().removeIf(count -> count == 0);
        return blocked;
    }
}
