// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import io.safebunny.rabbit.publish.Destination;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;

/** Delays messages. Thread-safe. */
public interface Delay {

    /** Header values that tell where a message goes after its delay. */
    String TO_BINDINGS = "publish";

    String TO_QUEUE = "retry";

    /** Declares the permanent part. The part that depends on the length of a delay is declared by {@link #delayed}. */
    void declare(Broker broker) throws IOException;

    /** The exchange that delayed messages are published to. */
    String entry();

    /** Where to publish a message that is to take its route after its delay. On first use of a delay, declares the queues that it needs. */
    Destination delayed(OutboundMessage message, Declarations.Source broker) throws IOException;

    /** Forgets what was declared, because the broker may have lost it. */
    void reconnected();

    /** The header value for a route. Only publications and retries to a queue can be delayed. */
    static String finalHop(Route route) {
        if (route instanceof Route.ToSubscribers) {
            return TO_BINDINGS;
        }
        if (route instanceof Route.ToQueue) {
            return TO_QUEUE;
        }
        throw new IllegalArgumentException(
                "A poison copy cannot be delayed [route=%s]; use Duration.ZERO".formatted(route));
    }
}
