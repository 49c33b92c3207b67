// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.failure.policy.RecoveryPolicy;
import java.lang.reflect.Type;
import java.util.List;

/**
 * One handler, as found at start-up. Immutable.
 *
 * @param description bean and method, for logs and errors
 * @param type message type name
 * @param payloadType the type the body is deserialized to
 * @param from nodes whose publications are consumed
 * @param grouping which waiting messages are handled together
 */
public record HandlerDefinition(
        String description,
        String type,
        Type payloadType,
        List<String> from,
        int prefetch,
        Grouping grouping,
        RecoveryPolicy recovery,
        HandlerInvoker invoker) {

    public HandlerDefinition {
        from = List.copyOf(from);
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
}
