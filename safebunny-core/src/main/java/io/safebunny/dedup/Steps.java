// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.publishing.Handling;
import org.jspecify.annotations.Nullable;

/** The results of completed steps of one message, as JSON. Used by the thread that handles the message. */
interface Steps {

    /** {@code null} when the step has not been completed. Before it is run, so it throws when it must not be. */
    @Nullable
    String find(String name);

    /** Returns when the result is durable. */
    void store(String name, String json);

    /** How the handling ends, because the store did not answer when it was asked for these. */
    RuntimeException noAnswer(Handling message, RuntimeException e);
}
