// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

/** Where a message goes. Closed: a transport knows these three ways. */
public sealed interface Route {

    /** For logs and exceptions. */
    String routingKey();

    /** To every queue bound for this key {@code {node}-{Type}}; none is an error. */
    record Publication(String routingKey) implements Route {}

    /** To this one queue. */
    record ToQueue(String queue) implements Route {
        @Override
        public String routingKey() {
            return queue;
        }
    }

    /** To the poison queue of this node. */
    record Poison(String node) implements Route {
        @Override
        public String routingKey() {
            return node;
        }
    }
}
