// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.versions;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The transport of an instance. What it publishes has headers, an encoding and a priority of which the code above knows nothing, as a
 * later version might add them; what is delivered to it must still have them, through whichever instance it went. Thread-safe.
 */
final class LaterVersion extends ForwardingTransport {

    private static final String ENCODING = "identity";
    private static final int PRIORITY = 6;

    private final AtomicInteger deliveries = new AtomicInteger();
    private final Queue<String> losses = new ConcurrentLinkedQueue<>();

    LaterVersion(Transport transport) {
        super(transport);
    }

    int deliveries() {
        return deliveries.get();
    }

    /** What was not as it had been sent, in words. */
    Queue<String> losses() {
        return losses;
    }

    private static Map<String, Object> added(String id) {
        return Map.of("sb-x-saga", "of " + id, "sb-x-ordinal", 4_000_000_000L + id.hashCode(), "sb-x-flag", true);
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return transport.send(message.route() instanceof Route.ToSubscribers ? stamped(message) : message, deadline);
    }

    private static OutboundMessage stamped(OutboundMessage message) {
        WireMessage wire = message.message();
        String id = String.valueOf(wire.messageId());
        Map<String, Object> headers = new HashMap<>(wire.headers());
        headers.putAll(added(id));
        return new OutboundMessage(
                new WireMessage(
                        id,
                        wire.correlationId(),
                        wire.type(),
                        wire.appId(),
                        wire.timestamp(),
                        wire.contentType(),
                        ENCODING,
                        PRIORITY,
                        headers,
                        wire.body()),
                message.route(),
                message.delay());
    }

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return transport.consume(queue, prefetch, delivery -> {
            look(delivery.message());
            handler.handle(delivery);
        });
    }

    void look(IncomingMessage delivered) {
        deliveries.incrementAndGet();
        WireMessage message = delivered.message();
        String id = String.valueOf(message.messageId());
        added(id).forEach((name, value) -> {
            if (!value.equals(message.headers().get(name))) {
                losses.add("%s of %s in %s, attempt %s".formatted(name, id, delivered.queue(), attempt(message)));
            }
        });
        if (!ENCODING.equals(message.contentEncoding())) {
            losses.add("content_encoding of %s in %s, attempt %s".formatted(id, delivered.queue(), attempt(message)));
        }
        Integer priority = message.priority();
        if (priority == null || priority != PRIORITY) {
            losses.add("priority of %s in %s, attempt %s".formatted(id, delivered.queue(), attempt(message)));
        }
    }

    private static Object attempt(WireMessage message) {
        return message.headers().getOrDefault("sb-attempt", "none");
    }
}
