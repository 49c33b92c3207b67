// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the results of one message's steps, as JSON. Used only by the thread that handles the message.
 *
 * <p>If it throws a {@link io.safebunny.recovery.NotHandledException} or {@link io.safebunny.message.InvalidMessageException},
 * the handling ends with that, even if the handler catches it. Any other exception counts as the handler's own failure.
 */
public interface StepStore {

    /**
     * Called before the step runs; throws when the step must not run.
     *
     * @return {@code null} when the step has not been completed
     */
    @Nullable
    String find(String name);

    /** Returns once the result is durable. */
    void store(String name, String json);

    /**
     * Called before each attempt of this delivery except the first.
     *
     * @throws RuntimeException no further attempt is possible, and the handling ends with this exception
     */
    default void beginAgain() {}
}
