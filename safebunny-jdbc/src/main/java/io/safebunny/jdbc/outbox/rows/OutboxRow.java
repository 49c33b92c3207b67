// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox.rows;

import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * A stored message on its way to the broker.
 *
 * @param id ascending in the order of publishing
 * @param attempts failed attempts of the relay so far
 */
public record OutboxRow(long id, String correlationId, int attempts, OutboundMessage message) {

    public String messageId() {
        return String.valueOf(message.message().messageId());
    }

    public void ended(PublishOutcome outcome, @Nullable Throwable failure) {
        message.ended(outcome, failure);
    }

    public int bytes() {
        return message.message().body().length;
    }
}
