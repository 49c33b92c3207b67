// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import java.util.function.UnaryOperator;

/**
 * One thing that is wrong with a message.
 *
 * @param isLarge so that a message has one of them at most
 * @param isOnlyForHandlers ends the message where nobody would look at it again
 */
record Kind(String name, UnaryOperator<HostileMessage> of, boolean isLarge, boolean isOnlyForHandlers) {

    Kind(String name, UnaryOperator<HostileMessage> of) {
        this(name, of, false, false);
    }

    /** RabbitMQ 3.10 expects tables in the array that it writes itself, and can never move a message on whose array has others. */
    boolean stopsDeadLettering() {
        return name.matches(
                "header x-death: (array of texts|array of all|50 arrays)|large: an array of nothing|large: arrays in arrays");
    }

    HostileMessage of(HostileMessage message) {
        return of.apply(message);
    }

    @Override
    public String toString() {
        return name;
    }
}
