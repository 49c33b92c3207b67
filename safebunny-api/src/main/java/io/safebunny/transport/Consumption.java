// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.concurrent.CompletableFuture;

/** A running consumption of one queue. Thread-safe. */
public interface Consumption {

    /**
     * Changes the pace, which is {@link Pace#FULL} at first. Returns at once and takes effect soon: a delivery already in transit
     * is still passed to the handler, or returned without counting as a failed delivery. Messages being handled are not affected.
     */
    void pace(Pace pace);

    /**
     * Stops taking deliveries. The future completes when those being handled are settled. Further calls, and later calls of
     * {@link #pace}, have no effect.
     */
    CompletableFuture<Void> stop();
}
