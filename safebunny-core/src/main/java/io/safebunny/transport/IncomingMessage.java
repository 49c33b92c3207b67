// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.message.WireMessage;
import java.util.Map;

/**
 * A message from the broker, unchecked, with where it came from.
 *
 * @param redelivered whether it was delivered before and not acknowledged
 * @param deliveryCount earlier deliveries that the broker holds against its delivery limit; 0 where it counts none
 */
public record IncomingMessage(
        String queue, String exchange, String routingKey, boolean redelivered, int deliveryCount, WireMessage message) {

    public IncomingMessage withHeaders(Map<String, Object> other) {
        return new IncomingMessage(queue, exchange, routingKey, redelivered, deliveryCount, message.withHeaders(other));
    }
}
