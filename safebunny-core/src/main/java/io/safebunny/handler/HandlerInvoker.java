// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.MessageContext;

/** Calls a handler. Thread-safe; all lookups are done, only the arguments are filled in per call. */
@FunctionalInterface
public interface HandlerInvoker {

    /** @throws Exception the handler's own exception, not wrapped */
    void invoke(Object payload, MessageContext context) throws Exception;
}
