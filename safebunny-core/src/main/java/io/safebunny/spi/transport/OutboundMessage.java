// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import io.safebunny.failure.PublishException.Publication;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import java.time.Duration;

/**
 * A message on its way to the broker.
 *
 * @param delay how long it waits before the route is taken; zero for at once. Never shortened
 */
public record OutboundMessage(WireMessage message, Route route, Duration delay) {

    /** Its name in exceptions. */
    public Publication publication() {
        return new Publication(
                Names.printable(String.valueOf(message.type())),
                route.routingKey(),
                Names.printable(String.valueOf(message.messageId())));
    }
}
