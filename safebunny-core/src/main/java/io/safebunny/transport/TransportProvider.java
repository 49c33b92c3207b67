// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.time.Timeline;
import java.net.URI;
import java.util.concurrent.Executor;

/**
 * Makes transports from nothing but the broker's address, for the test kit, which knows no transport by name: it finds them by {@link
 * java.util.ServiceLoader}. Applications need none, because their configuration makes the transport. Implementations must be thread-safe.
 */
public interface TransportProvider {

    /** Whether the address is one of a broker that it has a transport for. */
    boolean knows(URI broker);

    /**
     * A transport that is not yet started, with default settings but no limit on the size of what it takes at once. Closing it closes its
     * connections.
     *
     * @param broker which this provider {@linkplain #knows knows}
     * @param node names its connections, for those who look at the broker
     * @param workers handle deliveries; they must not run a task on the caller's thread, nor wait for a free one
     */
    Transport create(URI broker, String node, Executor workers, Timeline timeline);
}
