// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import io.safebunny.message.WireMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message from the broker, unchecked, with where it came from.
 *
 * @param redelivered whether it was delivered before and not acknowledged
 * @param deliveryCount earlier deliveries that the broker holds against its delivery limit; 0 where it counts none
 * @param user whom the broker knows for the sender; {@code null} when the sender did not have it told
 */
public record IncomingMessage(
        String queue,
        String exchange,
        String routingKey,
        boolean redelivered,
        int deliveryCount,
        @Nullable String user,
        WireMessage message) {

    /** From a sender who is not told. */
    public IncomingMessage(
            String queue,
            String exchange,
            String routingKey,
            boolean redelivered,
            int deliveryCount,
            WireMessage message) {
        this(queue, exchange, routingKey, redelivered, deliveryCount, null, message);
    }

    public IncomingMessage withHeaders(Map<String, Object> other) {
        return new IncomingMessage(
                queue, exchange, routingKey, redelivered, deliveryCount, user, message.withHeaders(other));
    }
}
