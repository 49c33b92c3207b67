// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import io.safebunny.failure.PublishException.Publication;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the broker. Immutable. More components may be added later, so create it with the three-argument
 * constructor and the {@code with} methods; the canonical constructor is for SafeBunny itself.
 *
 * @param delay how long the message waits before it is routed; zero for not at all. Never shortened
 * @param droppedIfUnheard whether the sender counts it as sent if no queue is bound. Transports ignore this and refuse it like
 *     any other message; stores must keep it
 * @param deliverAt in whole milliseconds; if set, the sender replaces the delay by what is left until then. Transports ignore it;
 *     stores must keep it
 */
public record OutboundMessage(
        WireMessage message,
        Route route,
        Duration delay,
        boolean droppedIfUnheard,
        @Nullable Instant deliverAt) {

    public OutboundMessage(WireMessage message, Route route, Duration delay) {
        this(message, route, delay, false, null);
    }

    public OutboundMessage withDroppedIfUnheard(boolean dropped) {
        return new OutboundMessage(message, route, delay, dropped, deliverAt);
    }

    /** @param delay what is left until then, for those that know delays only */
    public OutboundMessage deliveredAt(Instant instant, Duration delay) {
        return new OutboundMessage(message, route, delay, droppedIfUnheard, instant);
    }

    /** The message as it is to be sent now: with what is left of its delay. */
    public OutboundMessage sentAt(Instant now) {
        return deliverAt == null
                ? this
                : deliveredAt(deliverAt, deliverAt.isAfter(now) ? Duration.between(now, deliverAt) : Duration.ZERO);
    }

    /** How exceptions name this message. */
    public Publication publication() {
        return new Publication(
                Names.printable(String.valueOf(message.type())),
                route.routingKey(),
                Names.printable(String.valueOf(message.messageId())));
    }
}
