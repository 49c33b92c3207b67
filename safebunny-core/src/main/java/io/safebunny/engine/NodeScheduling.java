// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.ScheduledMessages;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.scheduling.SchedulingEngine;
import io.safebunny.store.MessageStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scheduled messages of a node, if it keeps any. Thread-safe. */
final class NodeScheduling {

    private final String node;
    private final @Nullable SchedulingEngine engine;

    /** @throws ConfigurationException SB-1109 when it cannot keep them as it is meant to */
    NodeScheduling(
            SafeBunnyParts parts,
            CurrentHandling current,
            PipelineBunny publisher,
            LibraryMessages library,
            ConfirmedSender sender,
            Metrics metrics,
            BoundedLog log) {
        SafeBunnyOptions options = parts.options();
        node = options.node();
        engine = parts.scheduling()
                ? new SchedulingEngine(
                        node,
                        current,
                        publisher,
                        library,
                        requireStore(parts),
                        sender,
                        parts.timeline(),
                        parts.callbacks(),
                        metrics,
                        log,
                        options.retention(),
                        options.lease(),
                        options.maxMessageSize())
                : null;
    }

    private static MessageStore requireStore(SafeBunnyParts parts) {
        String node = parts.options().node();
        MessageStore store = parts.meteredStore();
        if (store == null) {
            throw new ConfigurationException(
                    "SB-1109",
                    "Scheduled messages need a store [node=%s]: there is none.".formatted(node),
                    "Set safebunny.store.type, or remove safebunny.scheduling.enabled.");
        }
        if (parts.idScheme() instanceof MarkerMaskIdScheme) {
            throw new ConfigurationException(
                    "SB-1109",
                    "Scheduled messages need ids of their own [node=%s]: marker-mask gives two of one handler the same."
                            .formatted(node),
                    "Remove safebunny.ids.scheme, or safebunny.scheduling.enabled.");
        }
        return store;
    }

    /** @throws MisuseException SB-5013 when it keeps none */
    ScheduledMessages require() {
        if (engine == null) {
            throw new MisuseException(
                    MisuseException.SCHEDULING,
                    "Node %s keeps no scheduled messages. Set safebunny.scheduling.enabled=true, which needs a store (safebunny.store.type)."
                            .formatted(node));
        }
        return engine.messages();
    }

    List<HandlerDefinition> handlers() {
        return engine == null ? List.of() : List.of(engine.handler());
    }

    void start() {
        if (engine != null) {
            engine.start();
        }
    }

    void stop() {
        if (engine != null) {
            engine.stop();
        }
    }
}
