// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox.rows;

import io.safebunny.store.record.RecordJson;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row that the relay has read but not parsed yet, as its text may be unreadable. */
public record ClaimedRow(long id, String correlationId, String messageId, int attempts, String text, boolean isDue) {

    /** @throws IllegalArgumentException when a newer version wrote it, or it was edited by hand */
    public OutboxRow read() {
        List<OutboundMessage> messages = RecordJson.readOutgoing(text);
        if (messages.size() != 1) {
            throw new IllegalArgumentException(
                    "the row holds %s messages instead of one; check what wrote it".formatted(messages.size()));
        }
        return new OutboxRow(id, correlationId, attempts, messages.get(0));
    }

    /** Type of the message; {@code null} if it cannot be read. */
    @Nullable
    String type() {
        try {
            return read().message().message().type();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
