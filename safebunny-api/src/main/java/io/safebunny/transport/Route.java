// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

/** Where a message goes. Sealed: a transport supports exactly these three routes. */
public sealed interface Route {

    /** For logs and exceptions. */
    String routingKey();

    /** Sends to every queue that is bound with this key {@code {node}-{Type}}; fails if there is none. */
    record ToSubscribers(String routingKey) implements Route {}

    /** Sends to this one queue. */
    record ToQueue(String queue) implements Route {
        @Override
        public String routingKey() {
            return queue;
        }
    }

    /** Sends to the poison queue of this node. */
    record Poison(String node) implements Route {
        @Override
        public String routingKey() {
            return node;
        }
    }
}
