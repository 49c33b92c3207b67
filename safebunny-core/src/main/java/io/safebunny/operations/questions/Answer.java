// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations.questions;

import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/** Finds what this instance answers to one question of other instances. Called on a worker, never concurrently with itself. */
@FunctionalInterface
public interface Answer {

    /**
     * The answer. Whoever may write to the broker gets it: it must hold no text that a person or an exception has written.
     *
     * @param about what the question is about, as it was asked; empty if about nothing in particular
     * @param within how long it may take: afterwards the asker is told that it took too long
     * @return a new object; lists directly in it are shortened if it is too large to be sent
     * @throws RuntimeException if there is none: the asker is told that it failed, and not why
     */
    ObjectNode to(String about, Duration within);
}
