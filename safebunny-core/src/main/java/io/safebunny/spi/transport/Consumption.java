// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import java.util.concurrent.CompletableFuture;

/** A running consumption of one queue. Thread-safe. */
public interface Consumption {

    /**
     * Takes deliveries at this pace from soon on, {@link Pace#FULL} at first. Returns at once: a delivery that is on its way
     * is still handed to the handler, or goes back without having counted as a failed one. What is being handled goes on.
     */
    void pace(Pace pace);

    /**
     * Takes no further deliveries. The future completes when those being handled are settled. No effect when repeated, and
     * no pace is taken up after it.
     */
    CompletableFuture<Void> stop();
}
