// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import io.safebunny.message.Envelope;

/**
 * Sets the application's thread context from a message: tenant, locale, security context. Register it as a bean, order it with
 * {@code @Order}; must be thread-safe.
 *
 * <p>It surrounds the whole processing of the delivery: it is opened before the message is claimed and its transaction begins,
 * and closed on the same thread after that transaction has been committed or rolled back, before the next message. In-memory
 * retries run inside it, the after group of middlewares outside. It cannot skip a message, repeat it or hide its failure; use a
 * {@link ConsumeMiddleware} for that.
 */
@FunctionalInterface
public interface ContextPropagator {

    /**
     * Called once per delivery, including duplicates.
     *
     * @param message ids, headers and body as delivered
     * @return closes what was opened
     * @throws Exception counts as a failure of the handler, which is not run; propagators opened before are closed. The message
     *     gets its delayed retries, but no in-memory ones, and is then set aside
     */
    Scope open(Envelope message) throws Exception;

    /** The context of one message on its thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Restores the previous context. Exceptions are logged and do not affect the message. */
        @Override
        void close();
    }
}
