// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import java.util.List;
import java.util.Map;

/**
 * Something that a node does besides handling the application's messages. The engine calls the methods one after the other, in the order
 * in which they are listed here; what a feature {@link #offers} is thread-safe, and may be called at any time.
 */
public interface NodeFeature {

    /** What applications, operators and probes use of it, each by its class. */
    default List<Object> offers() {
        return List.of();
    }

    /**
     * Handlers of the messages by which it works.
     *
     * @param sagas of the application
     * @throws ConfigurationException when it cannot work in this node
     */
    default List<HandlerDefinition> handlers(List<SagaDefinition> sagas) {
        return List.of();
    }

    /** Nodes of which it takes copies of what they set aside; the topology binds a queue for them. */
    default List<String> participants() {
        return List.of();
    }

    /** The node publishes from now on. */
    default void startPublishing() {}

    /**
     * The node is about to consume.
     *
     * @param handlers all of the node; empty if it only publishes
     */
    default void startConsuming(List<HandlerDefinition> handlers) {}

    /** Whether a type must not be consumed yet; its breaker lets it go later. */
    default boolean holds(String type) {
        return false;
    }

    /** Whether queues beside those of the handlers must not be consumed yet. */
    default boolean holdsOtherQueues() {
        return false;
    }

    /** Such a queue was opened; the feature that holds it sets it going later. */
    default void opened(Consumption other) {}

    /** Queues beside those of the handlers, by their names. */
    default Map<String, DeliveryHandler> queues() {
        return Map.of();
    }

    /** The node is about to take no more messages. */
    default void stopConsuming() {}

    /** The node is about to stop publishing. */
    default void stopPublishing() {}
}
