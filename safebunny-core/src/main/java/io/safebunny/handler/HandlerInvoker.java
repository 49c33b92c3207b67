// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.MessageContext;

/** Calls a handler. Thread-safe; lookups are done, arguments are filled in per call. */
@FunctionalInterface
public interface HandlerInvoker {

    /** @throws Exception what the handler threw, as it was thrown */
    void invoke(Object payload, MessageContext context) throws Exception;
}
