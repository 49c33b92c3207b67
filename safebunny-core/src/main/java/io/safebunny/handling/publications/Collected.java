// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling.publications;

import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import org.jspecify.annotations.Nullable;

/** A publication that waits for the end of its handling, and of the transaction in which it was collected. Thread-safe. */
final class Collected {

    private final OutboundMessage message;
    private final @Nullable TransactionShare share;
    private volatile boolean dropped;

    /** @param share of the transaction it belongs to; {@code null} if there was none */
    Collected(OutboundMessage message, @Nullable TransactionShare share) {
        this.message = message;
        this.share = share;
    }

    OutboundMessage message() {
        return message;
    }

    /** Its transaction was rolled back, or the attempt that published it failed. */
    void drop(@Nullable Throwable why) {
        dropped = true;
        message.ended(PublishOutcome.DROPPED, why);
    }

    boolean isDropped() {
        return dropped;
    }

    /** Whether it is still open if it will be sent. */
    boolean isUndecided() {
        return !dropped && share != null && !share.isDecided();
    }
}
