// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * One step of a pipeline: does something before and after the rest of it.
 *
 * @param <C> what the step sees of the message
 */
@FunctionalInterface
public interface Middleware<C> {

    /**
     * Called once per message, and again whenever a step before it repeats the rest; on the message's thread. Must be
     * thread-safe.
     */
    void invoke(C context, Next next) throws Exception;
}
