// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handling.Handling;

/** Tells which saga the messages of one queue belong to. Thread-safe. */
@FunctionalInterface
public interface Correlation {

    /**
     * Makes the message's record part of its saga's partition, and has the saga marked as stuck if the message is set aside. To be
     * called before the message is claimed.
     *
     * @return what only one message may change at a time
     * @throws io.safebunny.message.InvalidMessageException the payload names no saga
     */
    String enter(Handling handling, Object payload);
}
