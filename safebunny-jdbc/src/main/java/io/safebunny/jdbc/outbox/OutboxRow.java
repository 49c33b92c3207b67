// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.spi.transport.OutboundMessage;

/**
 * A stored message, on its way to the broker.
 *
 * @param id in the order of storing
 * @param attempts that failed so far, of the relay
 */
record OutboxRow(long id, String correlationId, int attempts, OutboundMessage message) {

    String messageId() {
        return String.valueOf(message.message().messageId());
    }

    int bytes() {
        return message.message().body().length;
    }
}
