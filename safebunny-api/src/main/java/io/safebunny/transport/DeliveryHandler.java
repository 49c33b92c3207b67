// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.List;

/** Handles deliveries; called on up to {@code prefetch} threads at once. Returns when the delivery is settled or abandoned. */
@FunctionalInterface
public interface DeliveryHandler {

    void handle(Delivery delivery);

    /** How many deliveries {@link #handleTogether} currently takes at most; 1 if each is to be handled on its own. */
    default int mostTogether() {
        return 1;
    }

    /**
     * Handles deliveries that were waiting at the same time, on one thread and in this order; they share a transaction if they can. Each
     * of them counts towards the {@code prefetch}. A transport need not call it, and never waits for more deliveries.
     *
     * @param deliveries at most {@link #mostTogether}
     * @return those that are still to be handled, each on its own, by {@link #handle}
     */
    default <D extends Delivery> List<D> handleTogether(List<D> deliveries) {
        return deliveries;
    }
}
