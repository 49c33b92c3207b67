// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.policy.RecoveryPolicy;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        Ordering ordering) {

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
        this(description, type, payloadType, from, prefetch, grouping, recovery, invoker, null, Ordering.NONE);
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

    /** The same handler, with a method for expired messages. */
    public HandlerDefinition withOnExpired(HandlerInvoker expired) {
        return new HandlerDefinition(
                description, type, payloadType, from, prefetch, grouping, recovery, invoker, expired, ordering);
    }

    /** The same handler, with another ordering. */
    public HandlerDefinition ordered(Ordering other) {
        return new HandlerDefinition(
                description, type, payloadType, from, prefetch, grouping, recovery, invoker, onExpired, other);
    }
}
