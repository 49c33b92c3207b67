// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import org.jspecify.annotations.Nullable;

/**
 * One delivery, owed one settlement. The first call of {@link #acknowledge()} or {@link #handBack()} settles it, further
 * ones do nothing. When the channel is gone settling does nothing either, and the broker delivers the message again.
 */
public interface Delivery {

    IncomingMessage message();

    /**
     * What failed around the handler before the delivery came to it: then it must not be handled, and what becomes of it follows from this
     * failure. {@code null} for a delivery to be handled. Whoever wraps a delivery must pass this on.
     */
    default @Nullable Throwable refusal() {
        return null;
    }

    /** Whether it can still be settled: it was not yet, its channel is open and its consumption was not cut off. */
    boolean isOpen();

    /** The message is done with; the broker forgets it. */
    void acknowledge();

    /** Back to the queue, to be delivered again at once, perhaps to another instance. */
    void handBack();

    /**
     * Neither handled nor copied elsewhere: the broker itself moves it to the dead letters of its node, and from there to the node's
     * poison queue. Unlike a publication this is not refused for the size of the message, or for a missing permission.
     */
    void reject();
}
