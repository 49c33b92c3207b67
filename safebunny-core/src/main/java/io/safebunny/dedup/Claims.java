// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Handling;

/** How messages are claimed: one way for each kind of store. Thread-safe. */
interface Claims {

    /** Nothing is claimed before {@link MessageClaim#take}. */
    MessageClaim of(Handling handling);

    /** Begins what goes on beside the handling. */
    default void start() {}

    default void stop() {}
}
