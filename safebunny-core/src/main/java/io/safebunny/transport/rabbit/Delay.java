// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport.rabbit;

import com.rabbitmq.client.Channel;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;

/** Holds messages back. Thread-safe. */
interface Delay {

    /** Values of the headers that say where a message goes after its delay. */
    String TO_BINDINGS = "publish";

    String TO_QUEUE = "retry";

    /** Declares what is always there. */
    void declare(Channel channel) throws IOException;

    /**
     * Where to publish a message that takes the route after the delay; declares what this delay needs and was not needed
     * before.
     *
     * @param channels opens a throw-away channel
     */
    Destination delayed(Route route, Duration delay, ChannelSource channels) throws IOException;

    /** What was declared may be gone. */
    void reconnected();

    /** Opens a channel that the caller closes. */
    @FunctionalInterface
    interface ChannelSource {
        Channel open() throws IOException;
    }

    /** What a route is after the delay: only publications and ways back to a queue are ever delayed. */
    static String finalHop(Route route) {
        if (route instanceof Route.Publication) {
            return TO_BINDINGS;
        }
        if (route instanceof Route.ToQueue) {
            return TO_QUEUE;
        }
        throw new IllegalArgumentException("A message on its way to the poison queue cannot be delayed: " + route);
    }
}
