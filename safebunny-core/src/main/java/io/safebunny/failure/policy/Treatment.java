// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import java.time.Duration;

/** What to do with a message that is about to be handled. */
public sealed interface Treatment {

    /** Handle it concurrently with others. */
    record BesideOthers() implements Treatment {}

    /**
     * Handle it in isolation: if the process crashes, only this message may be the cause.
     *
     * @param patience how long the message waits for the others to finish, and how long they then wait for it. Bounded, so that a handler
     *     that never returns blocks neither
     */
    record Alone(Duration patience) implements Treatment {}

    /**
     * Do not handle it, but replace it with a copy, whose count of failed deliveries starts at zero: they were caused by cut connections.
     */
    record FreshCopy() implements Treatment {}

    /** Do not handle it again: it goes to the poison queue. */
    record SetAside() implements Treatment {}
}
