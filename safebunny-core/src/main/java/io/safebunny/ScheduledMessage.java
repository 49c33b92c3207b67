// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled message, as the store knows it. Immutable.
 *
 * @param messageId of the message that is delivered
 * @param deliverAt when; {@code null} if it was cancelled before that was known
 */
public record ScheduledMessage(
        String messageId, Status status, @Nullable Instant deliverAt) {

    /** How far it has got. */
    public enum Status {
        /** It is published when its time has come. */
        WAITING,
        /** It is sent, or waits in a record only because the broker does not take it. */
        PUBLISHED,
        /** It is never published. */
        CANCELLED
    }
}
