// SPDX-License-Identifier: Apache-2.0
package io.safebunny.quarantine;

import java.time.Duration;

/** What is done with a message that is about to be handled. */
public sealed interface Treatment {

    /** Handled beside others. */
    record BesideOthers() implements Treatment {}

    /**
     * Handled while nothing else is: what is handled beside it when the process ends would be suspected with it.
     *
     * @param patience how long it waits for the others to finish, and how long they then wait for it: handlers that do not return
     *     must stop neither
     */
    record Alone(Duration patience) implements Treatment {}

    /** Not handled: a copy, which begins with no failed deliveries, takes its place. Cut connections used them up. */
    record FreshCopy() implements Treatment {}

    /** Not handled any more: it goes to the poison queue. */
    record SetAside() implements Treatment {}
}
