// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import org.jspecify.annotations.Nullable;

/**
 * One delivery, to be settled once. The first call of {@link #acknowledge()}, {@link #handBack()} or {@link #reject()} settles
 * it; further calls do nothing. Once the channel is gone, settling does nothing either, and the broker redelivers the message;
 * only a {@link BrowsedQueue} reports this.
 */
public interface Delivery {

    IncomingMessage message();

    /**
     * The transport's failure before the delivery reached the handler; {@code null} if there was none. Such a delivery must not be handled;
     * the failure decides its recovery. Wrappers must pass this on.
     */
    default @Nullable Throwable refusal() {
        return null;
    }

    /** Whether it can still be settled: it is unsettled, its channel is open, and its consumption has not been cut off. */
    boolean isOpen();

    /** The message is done; the broker removes it. */
    void acknowledge();

    /** Returns the message to the queue; it is redelivered at once, perhaps to another instance. */
    void handBack();

    /**
     * For a message that can be neither handled nor copied: the broker itself moves it to the node's dead-letter queue, and from
     * there to the poison queue. Unlike a publication, this cannot fail because of the message's size or a missing permission.
     */
    void reject();
}
