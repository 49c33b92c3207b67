// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.concurrent.CompletableFuture;

/** A running consumption of one queue. */
public interface Consumption {

    /**
     * Takes no further deliveries. The future completes when those being handled are settled; what was delivered but not
     * begun is handed back.
     */
    CompletableFuture<Void> stop();
}
