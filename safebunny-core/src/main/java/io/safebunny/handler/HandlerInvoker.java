// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.MessageContext;
import java.util.List;

/** Calls a handler. Thread-safe; all lookups are done at start-up, each call only fills in the arguments. */
@FunctionalInterface
public interface HandlerInvoker {

    /** @throws Exception the handler's own exception, not wrapped */
    void invoke(Object payload, MessageContext context) throws Exception;

    /**
     * Checks a payload as before a call, without a call.
     *
     * @throws io.safebunny.PoisonMessageException if the handler takes only valid payloads, and this is none
     */
    default void check(Object payload) {}

    /**
     * Calls a {@linkplain Grouping#isBatch batch handler} once for several messages.
     *
     * @param contexts those of the payloads, in the same order
     * @throws Exception the handler's own exception, not wrapped
     */
    default void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts) throws Exception {
        throw new UnsupportedOperationException("This handler takes one message at a time");
    }
}
