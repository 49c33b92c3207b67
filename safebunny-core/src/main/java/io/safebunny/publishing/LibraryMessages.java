// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.identity.Ancestry;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.observation.Observations;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates the messages that SafeBunny itself publishes in a node's name. Every node must be able to read them, so they are JSON,
 * independent of the application's serializer, mapper and codec; middlewares do not see them. Thread-safe.
 */
public final class LibraryMessages {

    /** Longest delay of a message. The delayed message exchange supports up to 49 days. */
    private static final Duration LONGEST_SLEEP = Duration.ofDays(40);

    private final String node;
    private final LineageIdScheme ids;
    private final Timeline timeline;
    private final Observations observations;
    private final JsonMessageSerializer json = new JsonMessageSerializer();

    public LibraryMessages(String node, IdScheme scheme, Timeline timeline, Observations observations) {
        this.node = node;
        this.ids = Identifier.lineage(scheme);
        this.timeline = timeline;
        this.observations = observations;
    }

    /**
     * A message caused by another one.
     *
     * @param key distinguishes several messages with the same type and parent; the same key gives the same message
     */
    public OutboundMessage after(Envelope parent, Object payload, String key) {
        String type = MessageTypes.nameOf(payload.getClass());
        String id = id(parent.correlationId(), parent.id(), type, key);
        return sent(message(id, parent.correlationId(), parent, payload, timeline.now()), Duration.ZERO);
    }

    /**
     * A message without a cause.
     *
     * @param due when the message is to be delivered; a past instant means now
     */
    public OutboundMessage first(String id, String correlationId, Object payload, Instant now, Instant due) {
        Instant comes = due.isBefore(now) ? now : due;
        return sent(message(id, correlationId, null, payload, comes), Duration.between(now, comes));
    }

    /**
     * When a wake-up message for the given time will arrive. Earlier than that if no message can be delayed for so long: another one is
     * then sent for the remaining time.
     */
    public static Instant wakesAt(Instant due, Instant now) {
        Instant latest = now.plus(LONGEST_SLEEP);
        return due.isAfter(latest) ? latest : due;
    }

    /**
     * Id of a message of this node; the same on every instance.
     *
     * @param cause id of the message that causes it
     * @param key distinguishes several messages with the same type and cause
     */
    public String id(String correlationId, String cause, String type, String key) {
        // the marker does not affect these ids
        return ids.idOf(new Ancestry(correlationId, cause, node, type, key, 1));
    }

    private OutboundMessage sent(Envelope message, Duration delay) {
        String routingKey = Names.address(node, message.type());
        return new OutboundMessage(message.toWire(), new Route.ToSubscribers(routingKey), delay);
    }

    private Envelope message(
            String id, String correlationId, @Nullable Envelope parent, Object payload, Instant sentAt) {
        String type = MessageTypes.nameOf(payload.getClass());
        String routingKey = Names.address(node, type);
        return new Envelope(
                id,
                correlationId,
                type,
                node,
                parent == null ? 1 : Identifier.markerAfter(parent),
                parent == null ? null : parent.id(),
                0,
                0,
                sentAt.toEpochMilli(),
                null,
                observations.created(type, routingKey, id, correlationId, Observations.traceOf(parent)),
                Map.of(),
                json.contentType(),
                json.serialize(payload));
    }
}
