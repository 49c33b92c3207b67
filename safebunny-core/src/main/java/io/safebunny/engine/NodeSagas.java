// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.running.Correlation;
import io.safebunny.saga.running.Orchestration;
import io.safebunny.saga.supervision.SagaEngine;
import io.safebunny.saga.supervision.UndoingSagas;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.DeliveryHandler;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sagas of a node, of which many nodes have none; known from the start on. Thread-safe. */
final class NodeSagas {

    private final SafeBunnyParts parts;
    private final CurrentHandling current;
    private final PipelineBunny publisher;
    private final LibraryMessages library;
    private final ConfirmedSender sender;
    private final Metrics metrics;
    private final BoundedLog log;
    private volatile Optional<SagaEngine> engine = Optional.empty();
    private volatile boolean defined;

    NodeSagas(
            SafeBunnyParts parts,
            CurrentHandling current,
            PipelineBunny publisher,
            LibraryMessages library,
            ConfirmedSender sender,
            Metrics metrics,
            BoundedLog log) {
        this.parts = parts;
        this.current = current;
        this.publisher = publisher;
        this.library = library;
        this.sender = sender;
        this.metrics = metrics;
        this.log = log;
    }

    /** @throws ConfigurationException SB-1108 when they cannot work with the node's store or ids */
    void define(List<SagaDefinition> definitions) {
        engine = definitions.isEmpty() ? Optional.empty() : Optional.of(create(definitions));
        defined = true;
    }

    private SagaEngine create(List<SagaDefinition> definitions) {
        SafeBunnyOptions options = parts.options();
        MessageStore store = parts.meteredStore();
        if (store == null) {
            throw new ConfigurationException(
                    "SB-1108",
                    "Sagas need a store [%s]: there is none."
                            .formatted(definitions.get(0).description()),
                    "Set safebunny.store.type to jdbc (with safebunny-jdbc), cosmos (with safebunny-cosmos), or, where sagas may be forgotten with the process, memory; or define a MessageStore bean.");
        }
        if (parts.idScheme() instanceof MarkerMaskIdScheme) {
            throw new ConfigurationException(
                    "SB-1108",
                    "Sagas need ids of their own for two commands of one handler [%s]: marker-mask gives both the same."
                            .formatted(definitions.get(0).description()),
                    "Remove safebunny.ids.scheme.");
        }
        return new SagaEngine(
                options.node(),
                definitions,
                current,
                publisher,
                library,
                store,
                sender,
                parts.timeline(),
                parts.callbacks(),
                metrics,
                log,
                options.sagaRetention(),
                options.lease());
    }

    /** @throws MisuseException SB-5012 when there are none, or the node has not been started */
    Sagas require() {
        return engine.map(SagaEngine::sagas)
                .orElseThrow(() -> new MisuseException(
                        MisuseException.SAGA,
                        "Node %s has no sagas, or has not been started. Write a @BunnySaga, and wait for the start."
                                .formatted(parts.options().node())));
    }

    /** See {@link SafeBunnyEngine#sagasNeedingRepair}. */
    Map<String, UndoingSagas> undoing() {
        return engine.map(SagaEngine::undoing).orElse(Map.of());
    }

    boolean areDefined() {
        return defined;
    }

    boolean areThere() {
        return engine.isPresent();
    }

    @Nullable
    Instant countedAt() {
        return engine.map(SagaEngine::countedAt).orElse(null);
    }

    Map<String, Map<SagaStatus, Long>> needingRepair() {
        return engine.map(SagaEngine::needingRepair).orElse(Map.of());
    }

    Map<String, Long> blocked() {
        return engine.map(SagaEngine::blocked).orElse(Map.of());
    }

    /** {@code null} for messages that have nothing to do with sagas. */
    @Nullable
    Correlation correlationOf(HandlerDefinition handler) {
        return orchestration().map(known -> known.of(handler)).orElse(null);
    }

    List<HandlerDefinition> handlers() {
        return orchestration().map(Orchestration::handlers).orElse(List.of());
    }

    /** Nodes whose poison messages may be of sagas; this one is among them. */
    List<String> participants() {
        return orchestration().map(Orchestration::participants).orElse(List.of());
    }

    private Optional<Orchestration> orchestration() {
        return engine.map(SagaEngine::orchestration);
    }

    /** Takes copies of what the participants set aside. */
    Optional<DeliveryHandler> poisonWatch() {
        return engine.map(SagaEngine::poisonWatch);
    }

    void start() {
        engine.ifPresent(SagaEngine::start);
    }

    void stop() {
        engine.ifPresent(SagaEngine::stop);
    }
}
