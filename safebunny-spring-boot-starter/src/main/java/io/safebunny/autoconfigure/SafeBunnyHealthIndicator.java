// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.orchestrating.supervision.UndoingSagas;
import io.safebunny.saga.SagaStatus;
import io.safebunny.spi.transport.TransportStatus;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Up while messages flow in both directions, as far as the transport knows, and no queue is held up because the broker refuses
 * poison copies. Reads local state only, so polling costs nothing. Paused types and publications that nobody consumes are shown
 * as details but leave the node up: a restart would not help. Sagas that are stuck, whose compensation failed, or whose undo is
 * not acknowledged for an hour, make it {@code DEGRADED}.
 * Thread-safe.
 */
final class SafeBunnyHealthIndicator implements HealthIndicator {

    /** Spring Boot answers it with 200: a restart would not help. */
    private static final Status DEGRADED = new Status("DEGRADED", "sagas wait for a person");

    private final SafeBunnyEngine engine;
    private final BunnyCircuitBreaker breaker;
    private final String node;
    private final String transport;

    SafeBunnyHealthIndicator(SafeBunnyEngine engine, BunnyCircuitBreaker breaker, String node, String transport) {
        this.engine = engine;
        this.breaker = breaker;
        this.node = node;
        this.transport = transport;
    }

    @Override
    public Health health() {
        TransportStatus status = engine.status();
        Map<String, Map<SagaStatus, Long>> sagas = engine.sagasNeedingRepair();
        Map<String, UndoingSagas> undoing = engine.sagasUndoing();
        boolean degraded = !sagas.isEmpty() || undoing.values().stream().anyMatch(UndoingSagas::late);
        Health.Builder health = (status.usable() ? Health.status(degraded ? DEGRADED : Status.UP) : Health.down())
                .withDetail("node", node)
                .withDetail("transport", transport)
                .withDetail("detail", status.detail());
        if (!sagas.isEmpty()) {
            health.withDetail("sagas", sagas);
        }
        if (!undoing.isEmpty()) {
            Map<String, String> told = new TreeMap<>();
            undoing.forEach(
                    (saga, some) -> told.put(saga, "%d, the oldest since %s".formatted(some.count(), some.oldest())));
            health.withDetail("undoing", told);
        }
        Map<String, String> held = new TreeMap<>();
        engine.held().forEach((queue, why) -> held.put(queue, why.toString()));
        if (!held.isEmpty()) {
            health.withDetail("held", held);
        }
        Map<String, State> paused = new TreeMap<>(breaker.states());
        paused.values().removeIf(state -> state == State.CLOSED);
        tellWhatWaits(health, engine.waiting());
        return (paused.isEmpty() ? health : health.withDetail("circuitBreaker", paused)).build();
    }

    private static void tellWhatWaits(Health.Builder health, WaitingPublications waiting) {
        Instant oldest = waiting.oldest();
        if (oldest != null) {
            health.withDetail(
                    "waitingPublications",
                    Map.of(
                            "messages",
                            waiting.messages(),
                            "oldest",
                            oldest.toString(),
                            "destinations",
                            new TreeMap<>(waiting.destinations())));
        }
    }
}
