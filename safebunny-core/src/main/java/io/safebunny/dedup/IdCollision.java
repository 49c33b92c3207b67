// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.spi.store.MessageRecord;

/** Two messages under one id: only one of them can have what is stored under it. */
final class IdCollision {

    private IdCollision() {}

    /** @throws InvalidMessageException what is stored is another message's */
    static void requireNone(Envelope message, MessageRecord stored) {
        if (!stored.fingerprint().isOf(message)) {
            throw new InvalidMessageException(
                    PoisonReason.HANDLER_FAILED,
                    "Another message of type and body different from this one has its id [message_id=%s, correlation_id=%s]: it was neither handled to its end nor taken for a duplicate. Ids must be unique; see the publisher, or its idempotency keys."
                            .formatted(message.id(), message.correlationId()));
        }
    }
}
