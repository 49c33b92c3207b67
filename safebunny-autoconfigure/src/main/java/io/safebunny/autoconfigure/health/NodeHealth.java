// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.health;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.node.StoreOutage;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.saga.management.UndoingSagas;
import io.safebunny.transport.TransportStatus;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of each part. Reads only what the node already knows, so polling is cheap. {@code DOWN}: messages do not flow. {@code
 * DEGRADED}: they do, but an operator should look. A restart cures neither. Thread-safe.
 */
final class NodeHealth {

    /** Spring Boot maps this status to HTTP 200. */
    static final Status DEGRADED = new Status("DEGRADED");

    private final SafeBunnyEngine engine;
    private final String node;

    NodeHealth(SafeBunnyEngine engine, String node) {
        this.engine = engine;
        this.node = node;
    }

    Health broker(TransportStatus status, String transport) {
        return (status.usable() ? Health.up() : Health.down())
                .withDetail("node", node)
                .withDetail("transport", transport)
                .withDetail("detail", status.detail())
                .build();
    }

    /** Messages that can neither be handled nor set aside, because the broker refuses their poison copies. */
    Health poison() {
        Map<String, String> held = new TreeMap<>();
        engine.held().forEach((queue, why) -> held.put(queue, why.toString()));
        if (held.isEmpty()) {
            return Health.up().build();
        }
        String blocked = engine.blockedQueue();
        return blocked == null
                ? Health.status(DEGRADED).withDetail("held", held).build()
                : Health.down()
                        .withDetail("held", held)
                        .withDetail("blocked", blocked)
                        .build();
    }

    /** Publications of handled messages that the broker refuses. */
    Health publications() {
        WaitingPublications waiting = engine.waiting();
        if (waiting.oldest() == null) {
            return Health.up().build();
        }
        return Health.status(DEGRADED)
                .withDetail("messages", waiting.messages())
                .withDetail("oldest", waiting.oldest().toString())
                .withDetail("destinations", new TreeMap<>(waiting.destinations()))
                .build();
    }

    static Health breakers(Map<String, BunnyCircuitBreaker.Status> statuses) {
        Map<String, BunnyCircuitBreaker.Status> told = new TreeMap<>(statuses);
        told.values().removeIf(status -> status.state() == State.CLOSED);
        return told.isEmpty()
                ? Health.up().build()
                : Health.status(DEGRADED).withDetails(told).build();
    }

    Health store(String store) {
        StoreOutage outage = engine.storeOutage();
        if (outage == null) {
            return Health.up().withDetail("store", store).build();
        }
        return Health.down()
                .withDetail("store", store)
                .withDetail("since", outage.since().toString())
                .withDetail("reason", outage.reason())
                .build();
    }

    /** Sagas that need an operator, as of the last count in the store. */
    Health sagas() {
        SagaSupervision sagas = engine.get(SagaSupervision.class);
        if (!sagas.knowsSagas()) {
            return Health.unknown().withDetail("detail", "not started yet").build();
        }
        if (!sagas.hasSagas()) {
            return Health.up().withDetail("detail", "this node has no sagas").build();
        }
        Instant asOf = sagas.countedAt();
        if (asOf == null) {
            return Health.unknown().withDetail("detail", "not counted yet").build();
        }
        Map<String, Map<SagaStatus, Long>> repair = sagas.needingRepair();
        Map<String, UndoingSagas> undoing = sagas.undoing();
        boolean late = undoing.values().stream().anyMatch(UndoingSagas::late);
        Map<String, Long> blocked = sagas.blocked();
        boolean isWell = repair.isEmpty() && blocked.isEmpty() && !late;
        Health.Builder health = isWell ? Health.up() : Health.status(DEGRADED);
        if (!repair.isEmpty()) {
            health.withDetail("needingRepair", repair);
        }
        if (!blocked.isEmpty()) {
            health.withDetail("blocked", blocked);
        }
        if (!undoing.isEmpty()) {
            Map<String, String> told = new TreeMap<>();
            undoing.forEach(
                    (saga, some) -> told.put(saga, "%s, the oldest since %s".formatted(some.count(), some.oldest())));
            health.withDetail("undoing", told);
        }
        return health.withDetail("asOf", asOf.toString()).build();
    }

    static Health topology(TopologyWatch.@Nullable Seen seen) {
        if (seen == null) {
            return Health.unknown().withDetail("detail", "not compared yet").build();
        }
        return (seen.findings().isEmpty()
                        ? Health.up()
                        : Health.status(DEGRADED).withDetail("findings", seen.findings()))
                .withDetail("asOf", seen.asOf().toString())
                .build();
    }
}
