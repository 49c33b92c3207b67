// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.consuming.ConsumePipelineFactory;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Names;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.publishing.ConfirmedSender;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The poison queue of a node: what is in it, and how much. Thread-safe. */
final class NodePoison {

    private final SafeBunnyParts parts;
    private final ConfirmedSender sender;
    private final PoisonDepth depth;
    private volatile @Nullable QueuePoisonMessages messages;

    NodePoison(SafeBunnyParts parts, ConfirmedSender sender) {
        this.parts = parts;
        this.sender = sender;
        this.depth = new PoisonDepth(parts.options().node(), parts.transport(), parts.timeline(), parts.callbacks());
    }

    /** For a node that handles something. */
    void start(Handlers handlers, ConsumePipelineFactory pipelines, Metrics metrics, Events events) {
        String node = parts.options().node();
        Set<String> types = handlers.types();
        metrics.poisonDepth(node, depth);
        metrics.registerReplays();
        Function<HandlerDefinition, String> queue = handler -> Names.address(node, handler.type());
        messages = new QueuePoisonMessages(
                node,
                parts.transport(),
                sender,
                parts.timeline(),
                parts.callbacks(),
                handlers.all().stream()
                        .collect(Collectors.toMap(queue, handler -> pipelines.inspector(handler, types))),
                parts.meteredStore(),
                parts.options().retention(),
                parts.options().poisonRetention(),
                metrics,
                events,
                parts.options().exceptionDetails());
    }

    /** @throws MisuseException SB-5014 when the node handles nothing, or has not been started */
    PoisonMessages require() {
        QueuePoisonMessages present = messages;
        if (present == null) {
            throw new MisuseException(
                    MisuseException.POISON,
                    "There is no poison queue [node=%s]: the node handles nothing, or has not started yet."
                            .formatted(parts.options().node()));
        }
        return present;
    }

    void stop() {
        QueuePoisonMessages present = messages;
        if (present != null) {
            present.stop();
        }
        depth.stop();
    }
}
