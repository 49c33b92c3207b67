// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.delay;

import io.safebunny.rabbit.declare.Broker;
import io.safebunny.rabbit.declare.Declarations;
import io.safebunny.rabbit.publish.Destination;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;

/** Holds messages back. Thread-safe. */
public interface Delay {

    /** Values of the headers that say where a message goes after its delay. */
    String TO_BINDINGS = "publish";

    String TO_QUEUE = "retry";

    /** Declares what is always there. */
    void declare(Broker broker) throws IOException;

    /** Exchange that messages to be delayed are published to. */
    String entry();

    /**
     * Where to publish a message that takes the route after the delay; declares what this delay needs and was not needed
     * before.
     */
    Destination delayed(Route route, Duration delay, Declarations.Source broker) throws IOException;

    /** What was declared may be gone. */
    void reconnected();

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
