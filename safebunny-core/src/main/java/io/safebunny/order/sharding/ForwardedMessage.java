// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A message in the queue of its shard. To its handler, and to whoever sets it aside or sends it back, it is one of the queue from which it was
 * forwarded. As thread-safe as the other delivery.
 */
final class ForwardedMessage extends ForwardingDelivery {

    // how it came to the queue from which it was forwarded; removed before it is handled
    private static final String EXCHANGE = "sb-forwarded-exchange";
    private static final String ROUTING_KEY = "sb-forwarded-routing-key";

    private final IncomingMessage message;

    /** @param queue from which it was forwarded */
    ForwardedMessage(Delivery delivery, String queue) {
        super(delivery);
        IncomingMessage delivered = delivery.message();
        Map<String, Object> headers = new LinkedHashMap<>(delivered.message().headers());
        Object exchange = headers.remove(EXCHANGE);
        Object routingKey = headers.remove(ROUTING_KEY);
        this.message = new IncomingMessage(
                new Origin(
                        queue,
                        exchange instanceof String text ? text : delivered.exchange(),
                        routingKey instanceof String text ? text : delivered.routingKey()),
                delivered.redelivered(),
                delivered.deliveryCount(),
                delivered.user(),
                delivered.message().withHeaders(headers));
    }

    @Override
    public IncomingMessage message() {
        return message;
    }

    /** The copy of a message for a shard. It has no priority, because nothing may pass another message there. */
    static OutboundMessage copy(IncomingMessage delivered, String shard) {
        WireMessage wire = delivered.message();
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        headers.keySet().removeIf(name -> Headers.isOfOneRouting(name) || isOfBroker(name));
        headers.put(EXCHANGE, delivered.exchange());
        headers.put(ROUTING_KEY, delivered.routingKey());
        return new OutboundMessage(
                wire.withHeaders(headers).withPriority(null), new Route.ToQueue(shard), Duration.ZERO);
    }

    /** What tells of earlier dead-lettering, such as on the way of a delayed message. */
    private static boolean isOfBroker(String header) {
        return header.equals("x-death") || header.startsWith("x-first-death-") || header.startsWith("x-last-death-");
    }
}
