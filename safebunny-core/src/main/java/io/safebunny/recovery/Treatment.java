// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import java.time.Duration;

/** What to do with a message that is about to be handled. */
public sealed interface Treatment {

    /** Handle it beside others. */
    record BesideOthers() implements Treatment {}

    /**
     * Handle it in isolation: if the process crashes, only this message may be the cause.
     *
     * @param patience how long it waits for the others to finish, and how long they then wait for it, because a handler that never returns
     *     must block neither
     */
    record Alone(Duration patience) implements Treatment {}

    /**
     * Do not handle it, but replace it with a copy, which starts without failed deliveries: they were caused by cut connections.
     */
    record FreshCopy() implements Treatment {}

    /** Do not handle it again: it goes to the poison queue. */
    record SetAside() implements Treatment {}
}
