// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.transport.OutboundMessage;

/** What happens to an instance at its points, and to what it sends. */
public interface Fate {

    /** Nothing happens. */
    Fate KIND = new Fate() {};

    /** Called before and after each operation of the store and of the broker. May end the instance, or run other tasks first. */
    default void reached(Instance instance) {}

    /** Called before each write; what it throws the store throws. */
    default void beforeWrite() {}

    /** Called after each write that succeeded; what it throws the store throws. */
    default void afterWrite() {}

    /** How often the message arrives. */
    default int arrivals(OutboundMessage message) {
        return 1;
    }
}
