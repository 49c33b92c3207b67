// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A message that is handled from the store, and how messages are kept there. The broker has forgotten it, so that settling changes nothing
 * there: what becomes of it is written with its record. Confined to one thread, but for {@link #isOpen}.
 */
public final class StoredDelivery implements Delivery {

    // what the broker said of the delivery that was stored; removed before the message is handled
    private static final String USER = "sb-parked-user";
    private static final String EXCHANGE = "sb-parked-exchange";
    private static final String ROUTING_KEY = "sb-parked-routing-key";

    private final IncomingMessage message;
    private final BooleanSupplier isOpen;
    private boolean isAcknowledged;
    private @Nullable Duration kept;

    /** @param isOpen whether the node runs, so that what is begun may be ended */
    public StoredDelivery(OutboundMessage stored, BooleanSupplier isOpen) {
        this.message = read(stored);
        this.isOpen = isOpen;
    }

    /** The message as it is kept in its record. */
    public static OutboundMessage stored(IncomingMessage delivered) {
        Map<String, Object> headers = new LinkedHashMap<>(delivered.message().headers());
        headers.put(EXCHANGE, delivered.exchange());
        headers.put(ROUTING_KEY, delivered.routingKey());
        if (delivered.user() != null) {
            headers.put(USER, delivered.user());
        } else {
            headers.remove(USER); // of a sender that wrote it itself
        }
        return new OutboundMessage(
                delivered.message().withHeaders(headers), new Route.ToQueue(delivered.queue()), Duration.ZERO);
    }

    private static IncomingMessage read(OutboundMessage stored) {
        WireMessage message = stored.message();
        Map<String, Object> headers = new LinkedHashMap<>(message.headers());
        Object user = headers.remove(USER);
        Object exchange = headers.remove(EXCHANGE);
        Object routingKey = headers.remove(ROUTING_KEY);
        return new IncomingMessage(
                new Origin(
                        stored.route().routingKey(),
                        exchange instanceof String text ? text : "",
                        routingKey instanceof String text ? text : ""),
                true,
                0,
                user instanceof String text ? text : null,
                message.withHeaders(headers));
    }

    @Override
    public IncomingMessage message() {
        return message;
    }

    @Override
    public boolean isOpen() {
        return isOpen.getAsBoolean();
    }

    @Override
    public void acknowledge() {
        isAcknowledged = true;
    }

    @Override
    public void handBack() {}

    @Override
    public void reject() {}

    /** Whether it is done with, or its record says when it goes on. */
    public boolean isAcknowledged() {
        return isAcknowledged;
    }

    /** {@inheritDoc} Nothing is written of that. */
    @Override
    public void keep(Duration pause) {
        kept = pause;
    }

    /** After which pause it is to be handled again; {@code null} if nobody has said that. */
    public @Nullable Duration kept() {
        return kept;
    }
}
