// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.MessageContext;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaContext;
import org.jspecify.annotations.Nullable;

/** Calls a method of a saga. Thread-safe; all lookups are done at start-up, each call only fills in the arguments. */
@FunctionalInterface
public interface SagaMethod {

    /**
     * @param payload {@code null} unless the method is a handler
     * @param state {@code null} if the message starts the saga
     * @param blockedOn {@code null} unless it is an {@link io.safebunny.saga.OnPoisoned} method
     * @return the new state; {@code null} if, and only if, the method is {@code void}
     * @throws io.safebunny.failure.MisuseException SB-5012 when a method that is not {@code void} returned {@code null}
     * @throws Exception the method's own exception, not wrapped
     */
    @Nullable
    Object invoke(
            @Nullable Object payload,
            MessageContext message,
            @Nullable Object state,
            SagaContext saga,
            @Nullable BlockedOn blockedOn)
            throws Exception;

    /**
     * Checks a payload as before a call, without a call.
     *
     * @throws io.safebunny.PoisonMessageException if the method takes only valid payloads, and this is none
     */
    default void check(Object payload) {}
}
