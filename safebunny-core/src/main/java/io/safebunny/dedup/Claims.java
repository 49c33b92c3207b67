// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.handling.Handling;

/** The way messages are claimed, one implementation per kind of store. Thread-safe. */
interface Claims {

    /** Claims nothing yet; {@link MessageClaim#take} does. */
    MessageClaim of(Handling handling);

    /** Starts background work, such as renewals. */
    default void start() {}

    default void stop() {}
}
