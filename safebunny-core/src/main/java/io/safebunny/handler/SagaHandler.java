// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.rate.HandlingRate;
import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One handler of a saga, as found at start-up. Immutable.
 *
 * @param description bean and method, for logs and errors
 * @param type message type name
 * @param payloadType the type the body is deserialized to
 * @param from nodes whose publications are consumed
 * @param starts whether its message starts the saga
 * @param takesState whether it takes the state; if it also starts the saga, it runs even if the saga exists
 * @param correlation reads the saga's id from the payload: unchecked, {@code null} if the payload has none; thread-safe. Throws
 *     {@link io.safebunny.PoisonMessageException} if the payload does not fit the expression. {@code null} if the id is the
 *     correlation id
 * @param rate how many may begin in a time, on all instances of the node together; {@code null} for any number
 */
public record SagaHandler(
        String description,
        String type,
        Type payloadType,
        List<String> from,
        int prefetch,
        RecoveryPolicy recovery,
        boolean starts,
        boolean takesState,
        @Nullable Function<Object, @Nullable String> correlation,
        SagaMethod method,
        @Nullable HandlingRate rate) {

    public SagaHandler {
        from = List.copyOf(from);
    }

    /** Whether its message is ignored by an existing saga. */
    public boolean onlyStarts() {
        return starts && !takesState;
    }

    /** This handler as a handler of its node. */
    public HandlerDefinition calling(HandlerInvoker invoker) {
        return new HandlerDefinition(description, type, payloadType, from, prefetch, recovery, invoker).limited(rate);
    }
}
