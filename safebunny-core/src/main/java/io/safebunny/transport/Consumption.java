// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.concurrent.CompletableFuture;

/** A running consumption of one queue. Thread-safe. */
public interface Consumption {

    /**
     * Changes the pace, which is {@link Pace#FULL} at first. Returns at once and takes effect soon: a delivery already on its way
     * is still handed to the handler, or goes back without counting as a failed delivery. Messages being handled are not
     * affected.
     */
    void pace(Pace pace);

    /**
     * Takes no further deliveries. The future completes when those being handled are settled. Repeating it has no effect, and
     * neither has a later {@link #pace}.
     */
    CompletableFuture<Void> stop();
}
