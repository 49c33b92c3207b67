// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.spi.transport.OutboundMessage;

/**
 * A stored message on its way to the broker.
 *
 * @param id ascending in the order of publishing
 * @param attempts failed attempts of the relay so far
 */
record OutboxRow(long id, String correlationId, int attempts, OutboundMessage message) {

    String messageId() {
        return String.valueOf(message.message().messageId());
    }

    int bytes() {
        return message.message().body().length;
    }
}
