// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.message.Envelope;
import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import io.safebunny.rate.HandlingRate;
import io.safebunny.topology.Subscription;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * One handler, as found at start-up. Immutable.
 *
 * @param description bean and method, for logs and errors
 * @param type message type name
 * @param payloadType the type the body is deserialized to
 * @param from nodes whose publications are consumed
 * @param grouping which waiting messages are handled together
 * @param onExpired runs in the handler's place for expired messages, one at a time; {@code null} if there is no such method
 * @param ordering whether messages with one order key are handled one after the other
 * @param rate how many may begin in a time, on all instances of the node together; {@code null} for any number
 * @param sharding how the order keys are divided among queues of their own; {@code null} if they are not, as where nothing is ordered
 */
public record HandlerDefinition(
        String description,
        String type,
        Type payloadType,
        List<String> from,
        int prefetch,
        Grouping grouping,
        RecoveryPolicy recovery,
        HandlerInvoker invoker,
        @Nullable HandlerInvoker onExpired,
        Ordering ordering,
        @Nullable HandlingRate rate,
        @Nullable Sharding sharding) {

    public HandlerDefinition {
        from = List.copyOf(from);
    }

    /** Without a method for expired messages. */
    public HandlerDefinition(
            String description,
            String type,
            Type payloadType,
            List<String> from,
            int prefetch,
            Grouping grouping,
            RecoveryPolicy recovery,
            HandlerInvoker invoker) {
        this(
                description,
                type,
                payloadType,
                from,
                prefetch,
                grouping,
                recovery,
                invoker,
                null,
                Ordering.NONE,
                null,
                null);
    }

    /** Each message in a transaction of its own. */
    public HandlerDefinition(
            String description,
            String type,
            Type payloadType,
            List<String> from,
            int prefetch,
            RecoveryPolicy recovery,
            HandlerInvoker invoker) {
        this(description, type, payloadType, from, prefetch, Grouping.NONE, recovery, invoker);
    }

    /** The queue of the node from which it takes its messages; if they are divided into shards, the one from which they go there. */
    public String queue(String node) {
        return subscription().queue(node);
    }

    /**
     * What a message has in common with those before which it must not be handled; its record is kept under it.
     *
     * @param message as it was read
     * @return {@code null} if it waits for none: also that of a step's undo, which does not wait for what came before the step
     */
    public @Nullable OrderKey orderKey(Envelope message, WireMessage wire) {
        return ordering.isOrdered() && message.undoes() == null ? OrderKey.of(wire) : null;
    }

    public Subscription subscription() {
        return new Subscription(type, from, ordering.isOrdered(), sharding == null ? 0 : sharding.count());
    }

    /** The same handler, with a method for expired messages. */
    public HandlerDefinition withOnExpired(HandlerInvoker expired) {
        return new HandlerDefinition(
                description,
                type,
                payloadType,
                from,
                prefetch,
                grouping,
                recovery,
                invoker,
                expired,
                ordering,
                rate,
                sharding);
    }

    /** The same handler, with another ordering. */
    public HandlerDefinition ordered(Ordering other) {
        return new HandlerDefinition(
                description,
                type,
                payloadType,
                from,
                prefetch,
                grouping,
                recovery,
                invoker,
                onExpired,
                other,
                rate,
                sharding);
    }

    /** The same handler, with a rate; {@code null} for none. */
    public HandlerDefinition limited(@Nullable HandlingRate other) {
        return new HandlerDefinition(
                description,
                type,
                payloadType,
                from,
                prefetch,
                grouping,
                recovery,
                invoker,
                onExpired,
                ordering,
                other,
                sharding);
    }

    /** The same handler, with its order keys divided among shards; {@code null} for none. */
    public HandlerDefinition sharded(@Nullable Sharding other) {
        return new HandlerDefinition(
                description,
                type,
                payloadType,
                from,
                prefetch,
                grouping,
                recovery,
                invoker,
                onExpired,
                ordering,
                rate,
                other);
    }

    /** The class of the payload. */
    public Class<?> payloadClass() {
        return ResolvableType.forType(payloadType).resolve(Object.class);
    }
}
