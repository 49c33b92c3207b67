// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import org.jspecify.annotations.Nullable;

/**
 * Messages of one queue, taken one by one to be looked at. What is taken is kept from everybody else until it is settled or this is
 * closed, so it must be closed soon. Confined to one thread.
 *
 * <p>When {@link Delivery#acknowledge()} of what was taken here returns for the first time, the broker has received it. If that cannot be told,
 * it throws {@link io.safebunny.failure.BrowsingException}: the message is removed, or back in the queue.
 */
public interface BrowsedQueue extends AutoCloseable {

    /** How many messages were waiting behind the one that was taken last, as far as the broker knows; 0 before the first. */
    long waiting();

    /**
     * The first message that nobody else has taken; {@code null} when there is none. Returns at once. One that was handed back may
     * come again.
     *
     * @throws io.safebunny.failure.BrowsingException when the connection is lost: what was taken and not settled is back in the queue
     */
    @Nullable
    Delivery next();

    /**
     * What was taken and not settled goes back to the queue, in any order, and is there for the next one who browses it when this returns,
     * unless the broker takes long. Never throws.
     */
    @Override
    void close();
}
