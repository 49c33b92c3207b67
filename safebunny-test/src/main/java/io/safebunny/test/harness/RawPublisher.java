// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.identity.RandomIds;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Publishes in the name of a node bodies as they are on the wire, whatever is in them. For the test's thread. */
public final class RawPublisher {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String CONTENT_TYPE = new JsonMessageSerializer().contentType();

    private final String node;
    private final Transport transport;
    private final Timeline timeline;

    /** @param transport of the node, started */
    public RawPublisher(String node, Transport transport, Timeline timeline) {
        this.node = node;
        this.transport = transport;
        this.timeline = timeline;
    }

    /** Publishes a body of version 1 as a new message, as {@link #publish(String, int, String, String)} does. */
    public String publish(String type, String json, @Nullable String correlationId) {
        return publish(type, 1, json, correlationId);
    }

    /**
     * Publishes a body as a new message.
     *
     * @param type name of the message type
     * @param version of the body, from 1
     * @param correlationId {@code null} for a random one
     * @return the correlation id
     */
    public String publish(String type, int version, String json, @Nullable String correlationId) {
        String saga = correlationId == null ? RandomIds.next(timeline.random()) : correlationId;
        Envelope message = new Envelope(
                RandomIds.next(timeline.random()),
                saga,
                type,
                node,
                1,
                null,
                0,
                0,
                timeline.now().toEpochMilli(),
                null,
                Map.of(),
                Map.of(),
                CONTENT_TYPE,
                json.getBytes(StandardCharsets.UTF_8));
        OutboundMessage outbound = new OutboundMessage(
                withVersion(message.toWire(), version),
                new Route.ToSubscribers(Names.address(node, type)),
                Duration.ZERO);
        Object unused =
                transport.send(outbound, Deadline.after(PATIENCE, timeline)).join();
        return saga;
    }

    private static WireMessage withVersion(WireMessage wire, int version) {
        if (version == 1) {
            return wire;
        }
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        headers.put(Headers.VERSION, version);
        return wire.withHeaders(headers);
    }
}
