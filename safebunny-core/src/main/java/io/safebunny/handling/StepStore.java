// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import org.jspecify.annotations.Nullable;

/**
 * Where the results of one message's steps are kept, as JSON. Used by the thread that handles the message.
 *
 * <p>A {@link io.safebunny.recovery.NotHandledException} or {@link io.safebunny.message.InvalidMessageException} that it throws ends
 * the handling, whatever the handler makes of it. Any other exception is the handler's own failure.
 */
public interface StepStore {

    /**
     * Asked before the step is run, so it throws when the step must not be run.
     *
     * @return {@code null} when the step has not been completed
     */
    @Nullable
    String find(String name);

    /** Returns when the result is durable. */
    void store(String name, String json);

    /**
     * Called before each attempt of this delivery but the first.
     *
     * @throws RuntimeException there is nothing that a completion could be part of: this is how the handling ends
     */
    default void beginAgain() {}
}
