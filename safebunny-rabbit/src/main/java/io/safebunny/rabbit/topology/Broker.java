// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import java.io.IOException;
import java.util.Map;

/** Receives the parts of a topology: to declare them on a broker, compare them with it, or write them down. */
public interface Broker {

    /**
     * A durable exchange.
     *
     * @return whether this user may configure the exchange; if not, the exchange exists, or its existence cannot be checked
     */
    boolean exchange(String name, String type, Map<String, Object> arguments) throws IOException;

    /** A durable queue; otherwise as {@link #exchange}. */
    boolean queue(String name, Map<String, Object> arguments) throws IOException;

    void bindQueue(String queue, String exchange, String routingKey, Map<String, Object> arguments) throws IOException;

    /** @param exchange receives what {@code from} routes to it */
    void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments)
            throws IOException;
}
