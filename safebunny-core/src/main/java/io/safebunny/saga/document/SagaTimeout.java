// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.publishing.LibraryMessages;
import java.time.Instant;

/**
 * A timeout of a saga. The message is only a wake-up call; the saga's document decides.
 *
 * @param token id of the message that wakes the saga; messages with any other id are stale
 * @param due when it expires
 * @param wakesAt when that message arrives, which may be earlier; then another one is sent for the remaining time
 */
public record SagaTimeout(String token, Instant due, Instant wakesAt) {

    /** A timeout whose wake-up message has not been sent yet. */
    public static SagaTimeout due(String token, Instant due, Instant now) {
        return new SagaTimeout(token, due, LibraryMessages.wakesAt(due, now));
    }
}
