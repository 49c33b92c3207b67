// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One delivery, to be settled once. The first call of {@link #acknowledge()}, {@link #handBack()}, {@link #keep} or {@link
 * #reject()} settles it; further calls do nothing. Once the channel is gone, settling does nothing either, and the broker redelivers the message;
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

    /**
     * Returns the message to the queue; it is redelivered at once, perhaps to another instance. A delivery of {@link
     * Transport#consumeOrdered} is {@linkplain #keep kept} for a second instead, because it would come back behind those that
     * follow it.
     */
    void handBack();

    /**
     * The message keeps its place: it stays unacknowledged, and those with its key wait, except those that {@linkplain
     * io.safebunny.message.OrderKey#passesKept pass it}. After the pause it is passed to the handler
     * again, as another delivery that is marked as redelivered but not counted as failed; at once to whichever instance comes next, if
     * the consumption pauses, stops or is lost before. Only for deliveries of {@link Transport#consumeOrdered}.
     *
     * @throws MisuseException SB-5001 for other deliveries
     */
    default void keep(Duration pause) {
        throw new MisuseException(
                MisuseException.ARGUMENT,
                "A message of queue %s cannot keep its place, because the queue is not consumed in order. Hand the delivery back instead."
                        .formatted(message().queue()));
    }

    /**
     * For a message that can be neither handled nor copied: the broker itself moves it to the node's dead-letter queue, and from
     * there to the poison queue. Unlike a publication, this cannot fail because of the message's size or a missing permission.
     */
    void reject();
}
