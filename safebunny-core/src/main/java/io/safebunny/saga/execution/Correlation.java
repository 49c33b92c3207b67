// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;

/** Finds out to which saga a message of a queue belongs. Thread-safe. */
@FunctionalInterface
public interface Correlation {

    /** @throws io.safebunny.message.InvalidMessageException if the payload names no saga */
    Membership of(Envelope message, Object payload);
}
