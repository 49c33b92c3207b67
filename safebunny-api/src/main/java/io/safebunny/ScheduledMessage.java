// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled message, as the store knows it. Immutable.
 *
 * @param messageId id of the message to be delivered
 * @param deliverAt when it is due; {@code null} if it was cancelled before that was known
 */
public record ScheduledMessage(
        String messageId, Status status, @Nullable Instant deliverAt) {

    /** Status of a scheduled message. */
    public enum Status {
        /** It will be published when it is due. */
        WAITING,
        /** It has been sent, or is stored until the broker accepts it. */
        PUBLISHED,
        /** It will never be published. */
        CANCELLED
    }
}
