// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyOperations;
import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Validity;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.transport.TransportStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The endpoint's view of the node. Reads only what the node already knows, so polling is cheap. Thread-safe. */
final class NodeViews {

    private final SafeBunnyEngine engine;
    private final SafeBunnyParts parts;
    private final BunnyOperations operations;

    NodeViews(SafeBunnyEngine engine, SafeBunnyParts parts, BunnyOperations operations) {
        this.engine = engine;
        this.parts = parts;
        this.operations = operations;
    }

    Map<String, Object> overview() {
        Map<String, State> states = parts.breakers().states();
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("types", states.size());
        counts.put(
                "notClosed",
                states.values().stream().filter(state -> state != State.CLOSED).count());
        counts.put("paused", operations.paused().size());
        counts.put("waitingPublications", engine.waiting().messages());
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("node", parts.options().node());
        view.put("instance", operations.instance());
        view.put("transport", parts.transport().getClass().getSimpleName());
        MessageStore store = parts.store();
        view.put("store", store == null ? "none" : store.getClass().getSimpleName());
        view.put("counts", counts);
        return view;
    }

    Map<String, Object> publisher() {
        TransportStatus status = parts.transport().status();
        WaitingPublications waiting = engine.waiting();
        return Map.of("usable", status.usable(), "detail", status.detail(), "waiting", waiting);
    }

    Map<String, Object> handlers() {
        Map<String, Object> types = new TreeMap<>();
        for (HandlerDefinition handler : engine.handlers()) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("handler", handler.description());
            told.put("payload", handler.payloadType().getTypeName());
            told.put("version", BodyVersions.of(handler.payloadType()).present());
            told.put("from", handler.from());
            told.put("prefetch", handler.prefetch());
            told.put("rate", handler.rate() == null ? null : handler.rate().toString());
            told.put("inMemoryRetries", handler.recovery().inMemory().maxRetries());
            told.put("delayedRetries", handler.recovery().delayed().delays());
            told.put(
                    "expired",
                    handler.onExpired() == null
                            ? Validity.ofPayload(handler.payloadType()).expired()
                            : "TOLD");
            types.put(handler.type(), told);
        }
        return types;
    }

    Map<String, Object> outbox() {
        Map<String, Object> view = new LinkedHashMap<>();
        Outbox outbox = parts.outbox();
        view.put("present", outbox != null);
        if (outbox != null) {
            Outbox.Backlog waiting = outbox.waiting();
            NodeCondition now = NodeCondition.outbox(
                    waiting, parts.transport().status(), parts.timeline().now());
            view.put("level", now.level());
            view.put("words", now.words());
            view.put("waitsFor", now.details().getOrDefault("waitsFor", List.of()));
            if (waiting != null && waiting.asOf() != null) {
                view.put("backlog", waiting.messages());
                view.put("more", waiting.more());
                view.put("oldest", waiting.oldest());
                view.put("asOf", waiting.asOf());
            }
        }
        return view;
    }
}
