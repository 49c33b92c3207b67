// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.spi.store.RecordJson;
import io.safebunny.spi.transport.OutboundMessage;
import java.util.List;

/** A row as the relay reads it; its text may be unreadable. */
record ClaimedRow(long id, String correlationId, String messageId, int attempts, String text) {

    /** @throws IllegalArgumentException when it is of a newer version, or was changed by hand */
    OutboxRow read() {
        List<OutboundMessage> messages = RecordJson.readOutgoing(text);
        if (messages.size() != 1) {
            throw new IllegalArgumentException("not one message");
        }
        return new OutboxRow(id, correlationId, attempts, messages.get(0));
    }
}
