// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.message.WireMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message from the broker, unchecked.
 *
 * @param redelivered whether it was delivered before without being acknowledged
 * @param deliveryCount earlier deliveries that count towards the broker's delivery limit; 0 if the broker does not count them
 * @param user the sender's user, verified by the broker; {@code null} if the sender did not state it
 */
public record IncomingMessage(
        Origin origin,
        boolean redelivered,
        int deliveryCount,
        @Nullable String user,
        WireMessage message) {

    /**
     * The way by which a message came.
     *
     * @param exchange the exchange that the message was published to, with this routing key
     */
    public record Origin(String queue, String exchange, String routingKey) {}

    /** A message whose sender did not state its user. */
    public IncomingMessage(Origin origin, boolean redelivered, int deliveryCount, WireMessage message) {
        this(origin, redelivered, deliveryCount, null, message);
    }

    public String queue() {
        return origin.queue();
    }

    public String exchange() {
        return origin.exchange();
    }

    public String routingKey() {
        return origin.routingKey();
    }

    public IncomingMessage withHeaders(Map<String, Object> other) {
        return new IncomingMessage(origin, redelivered, deliveryCount, user, message.withHeaders(other));
    }
}
