// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.time.Timeline;
import java.net.URI;
import java.util.concurrent.Executor;

/**
 * Creates transports from a broker's address. The test kit, which knows no transport by name, finds providers by {@link
 * java.util.ServiceLoader}; applications do not need them. Implementations must be thread-safe.
 */
public interface TransportProvider {

    /** Whether this provider has a transport for the broker at this address. */
    boolean knows(URI broker);

    /**
     * Creates a transport that is not started yet, with default settings except that prefetching is not limited by size. Closing
     * it closes its connections.
     *
     * @param broker an address that this provider {@linkplain #knows knows}
     * @param node used in the names of its connections
     * @param workers handle deliveries; must neither run tasks on the calling thread nor queue them
     */
    Transport create(URI broker, String node, Executor workers, Timeline timeline);
}
