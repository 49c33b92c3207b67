// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.MessageRecord;

/**
 * Detects two different messages with the same id: what is stored under the id can belong to only one of them. One of them may be what the
 * other was before it was edited in the poison queue.
 */
final class IdCollision {

    private IdCollision() {}

    /**
     * Whether the message is a replay of a copy that was set aside before its message was edited: what is stored is newer, and of another
     * body. One that is not a replay says nothing of its version, and cannot be told from another message.
     */
    static boolean isUnedited(Envelope message, MessageRecord stored) {
        return message.poisonVersion() > 0
                && message.poisonVersion() < stored.version()
                && !UndoFence.isUnseen(stored)
                && !stored.fingerprint().isOf(message);
    }

    /** @throws InvalidMessageException the record belongs to another message */
    static void requireNone(Envelope message, MessageRecord stored) {
        if (!UndoFence.isUnseen(stored) && !stored.fingerprint().isOf(message)) {
            throw new InvalidMessageException(
                    PoisonReason.HANDLER_FAILED,
                    "Another message with a different type or body has the same id [message_id=%s, correlation_id=%s]. This one was neither fully handled nor suppressed as a duplicate. Ids must be unique: check the publisher, or its idempotency keys."
                            .formatted(message.id(), message.correlationId()));
        }
    }
}
