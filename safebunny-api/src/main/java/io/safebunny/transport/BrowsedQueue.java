// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import org.jspecify.annotations.Nullable;

/**
 * Browses a queue: takes its messages one by one without consuming them. Nobody else gets a taken message until it is settled or
 * this object is closed, so close it soon. Confined to one thread.
 *
 * <p>When the first {@link Delivery#acknowledge()} of a message taken here returns, the broker has received it. If that is
 * uncertain, it throws {@link io.safebunny.failure.BrowsingException}: the message has either been removed or is back in the
 * queue.
 */
public interface BrowsedQueue extends AutoCloseable {

    /** Number of messages behind the last one taken, according to the broker; 0 before the first is taken. */
    long waiting();

    /**
     * Takes the first available message; {@code null} if there is none. Returns at once. A message that was handed back may come
     * again.
     *
     * @throws io.safebunny.failure.BrowsingException if the connection is lost; messages taken but not settled are back in the
     *     queue
     */
    @Nullable
    Delivery next();

    /**
     * Returns unsettled messages to the queue, in any order. Unless the broker is slow, they are available to the next browser
     * when this method returns. Never throws.
     */
    @Override
    void close();
}
