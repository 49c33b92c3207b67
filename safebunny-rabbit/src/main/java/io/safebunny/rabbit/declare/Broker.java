// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.declare;

import java.io.IOException;
import java.util.Map;

/** What a topology consists of is told to: a broker that gets it, or somebody who compares it or writes it down. */
public interface Broker {

    /**
     * A durable exchange.
     *
     * @return whether this user may shape it; if not, it exists, or nothing about it is told to this user
     */
    boolean exchange(String name, String type, Map<String, Object> arguments) throws IOException;

    /** A durable queue; otherwise as {@link #exchange}. */
    boolean queue(String name, Map<String, Object> arguments) throws IOException;

    void bindQueue(String queue, String exchange, String routingKey, Map<String, Object> arguments) throws IOException;

    /** @param exchange that gets what {@code from} routes to it */
    void bindExchange(String exchange, String from, String routingKey, Map<String, Object> arguments)
            throws IOException;
}
