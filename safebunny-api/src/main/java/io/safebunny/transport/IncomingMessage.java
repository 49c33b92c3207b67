// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.message.WireMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message from the broker, unchecked, with its origin.
 *
 * @param redelivered whether it was delivered before without being acknowledged
 * @param deliveryCount earlier deliveries that count towards the broker's delivery limit; 0 if the broker does not count them
 * @param user the sender's user, verified by the broker; {@code null} if the sender did not state it
 */
public record IncomingMessage(
        String queue,
        String exchange,
        String routingKey,
        boolean redelivered,
        int deliveryCount,
        @Nullable String user,
        WireMessage message) {

    /** A message whose sender did not state its user. */
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
