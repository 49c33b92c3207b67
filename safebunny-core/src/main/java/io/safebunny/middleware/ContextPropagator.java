// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

import io.safebunny.message.Envelope;

/**
 * Sets, from a message, what the application keeps on the thread: tenant, locale, security context. Register it as a bean, order it with
 * {@code @Order}; must be thread-safe.
 *
 * <p>It surrounds everything that is done for the delivery: it is opened before the message is claimed and its transaction begins, and
 * closed on the same thread after that transaction has been committed or rolled back, before the next message. In-memory retries run
 * within it. It cannot skip a message, repeat it or hide its failure; that is what a {@link ConsumeMiddleware} is for. The after group of
 * middlewares runs outside.
 */
@FunctionalInterface
public interface ContextPropagator {

    /**
     * Called once per delivery that is to be handled, also of duplicates.
     *
     * @param message its ids, headers and body as delivered, which no handler has seen yet
     * @return ends what was opened
     * @throws Exception counts as a failure of the handler, which is not run; what was opened before is closed. It is retried with
     *     delays, not in memory, and then set aside
     */
    Scope open(Envelope message) throws Exception;

    /** What one message has set on its thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Restores what was there before. What it throws is logged, and changes nothing for the message. */
        @Override
        void close();
    }
}
