// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import io.safebunny.failure.PublishException.Publication;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import java.time.Duration;

/**
 * A message on its way to the broker. Components are added at the end as it grows, so make one with the constructor of three and the
 * {@code with} methods; the canonical constructor is for the library.
 *
 * @param delay how long it waits before the route is taken; zero for at once. Never shortened
 * @param droppedIfUnheard whether its sender takes it for sent when no queue is bound. No business of the transport, which refuses it as any
 *     other; a store keeps it
 */
public record OutboundMessage(WireMessage message, Route route, Duration delay, boolean droppedIfUnheard) {

    public OutboundMessage(WireMessage message, Route route, Duration delay) {
        this(message, route, delay, false);
    }

    public OutboundMessage withDroppedIfUnheard(boolean dropped) {
        return new OutboundMessage(message, route, delay, dropped);
    }

    /** Its name in exceptions. */
    public Publication publication() {
        return new Publication(
                Names.printable(String.valueOf(message.type())),
                route.routingKey(),
                Names.printable(String.valueOf(message.messageId())));
    }
}
