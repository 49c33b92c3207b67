// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.MessageContext;

/** Calls a handler. Thread-safe; all lookups are done at start-up, each call only fills in the arguments. */
@FunctionalInterface
public interface HandlerInvoker {

    /** @throws Exception the handler's own exception, not wrapped */
    void invoke(Object payload, MessageContext context) throws Exception;
}
