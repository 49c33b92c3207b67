// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.observation.Observations;
import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.spi.identity.Ancestry;
import io.safebunny.spi.identity.IdScheme;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Map;

/**
 * Makes the messages that SafeBunny itself publishes in a node's name. Every node must be able to read them, so they are JSON
 * whatever the application's serializer, mapper and codec; its middlewares do not see them. Thread-safe.
 */
public final class LibraryMessages {

    private final String node;
    private final LineageIdScheme ids;
    private final Timeline timeline;
    private final JsonMessageSerializer json = new JsonMessageSerializer();

    public LibraryMessages(String node, IdScheme scheme, Timeline timeline) {
        this.node = node;
        this.ids = Identifier.lineage(scheme);
        this.timeline = timeline;
    }

    /**
     * A message that follows from another one.
     *
     * @param key tells several of one type and parent apart; with the same key it is the same message
     */
    public OutboundMessage after(Envelope parent, Object payload, String key) {
        String type = MessageTypes.nameOf(payload.getClass());
        int marker = Identifier.markerAfter(parent);
        Envelope message = new Envelope(
                ids.idOf(new Ancestry(parent.correlationId(), parent.id(), node, type, key, marker)),
                parent.correlationId(),
                type,
                node,
                marker,
                parent.id(),
                0,
                0,
                timeline.now().toEpochMilli(),
                null,
                0,
                Observations.w3c(parent.trace()),
                Map.of(),
                json.contentType(),
                json.serialize(payload));
        return new OutboundMessage(message.toWire(), new Route.Publication(Names.address(node, type)), Duration.ZERO);
    }
}
