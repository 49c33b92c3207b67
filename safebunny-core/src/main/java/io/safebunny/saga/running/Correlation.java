// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;

/** Tells which saga the messages of one queue belong to. Thread-safe. */
@FunctionalInterface
public interface Correlation {

    /** @throws io.safebunny.message.InvalidMessageException the payload names no saga */
    Membership of(Envelope message, Object payload);
}
