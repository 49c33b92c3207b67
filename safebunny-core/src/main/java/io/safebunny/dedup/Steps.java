// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import org.jspecify.annotations.Nullable;

/** The results of completed steps of one message, as JSON. Used by the thread that handles the message. */
interface Steps {

    /** {@code null} when the step has not been completed. Before it is run, so it throws when it must not be. */
    @Nullable
    String find(String name);

    /** Returns when the result is durable. */
    void store(String name, String json);
}
