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
 * Something that a node does in addition to handling the application's messages. The engine calls the methods one after the other, in the
 * order of their declaration. The objects that a feature {@link #offers} are thread-safe and may be called at any time.
 */
public interface NodeFeature {

    /** The feature's APIs for applications, operators and probes, which find each by its type. */
    default List<Object> offers() {
        return List.of();
    }

    /**
     * Handlers of its own messages.
     *
     * @param sagas of the application
     * @throws ConfigurationException if this node lacks what it needs
     */
    default List<HandlerDefinition> handlers(List<SagaDefinition> sagas) {
        return List.of();
    }

    /** Nodes that this node wants notices from when they set messages aside; the topology binds a queue for these notices. */
    default List<String> participants() {
        return List.of();
    }

    /** Called when the node can publish. */
    default void startPublishing() {}

    /**
     * Called when the node is about to consume.
     *
     * @param handlers all of the node; empty if it only publishes
     */
    default void startConsuming(List<HandlerDefinition> handlers) {}

    /** Whether a type must not be consumed yet. Its breaker starts the consumption later. */
    default boolean holds(String type) {
        return false;
    }

    /** Whether {@link #queues} and the queue of dead letters must not be consumed yet. */
    default boolean holdsOtherQueues() {
        return false;
    }

    /**
     * Called when one of {@link #queues}, or the queue of dead letters, was opened. If a feature holds it, that feature starts it later.
     */
    default void opened(Consumption other) {}

    /** Queues that the feature consumes in addition to those of the handlers, by name. */
    default Map<String, DeliveryHandler> queues() {
        return Map.of();
    }

    /** Called when the node is about to stop taking messages. */
    default void stopConsuming() {}

    /** Called when the node is about to stop publishing. */
    default void stopPublishing() {}
}
