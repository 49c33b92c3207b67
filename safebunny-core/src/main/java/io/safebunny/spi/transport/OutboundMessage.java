// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import io.safebunny.failure.PublishException.Publication;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import java.time.Duration;

/**
 * A message on its way to the broker. Immutable. More components may be added later, so create it with the three-argument
 * constructor and the {@code with} methods; the canonical constructor is for SafeBunny itself.
 *
 * @param delay how long the message waits before it is routed; zero for not at all. Never shortened
 * @param droppedIfUnheard whether the sender counts it as sent if no queue is bound. Transports ignore this and refuse it like
 *     any other message; stores must keep it
 */
public record OutboundMessage(WireMessage message, Route route, Duration delay, boolean droppedIfUnheard) {

    public OutboundMessage(WireMessage message, Route route, Duration delay) {
        this(message, route, delay, false);
    }

    public OutboundMessage withDroppedIfUnheard(boolean dropped) {
        return new OutboundMessage(message, route, delay, dropped);
    }

    /** How exceptions name this message. */
    public Publication publication() {
        return new Publication(
                Names.printable(String.valueOf(message.type())),
                route.routingKey(),
                Names.printable(String.valueOf(message.messageId())));
    }
}
