// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connects the running instances of nodes. Messages are not kept for instances that are offline. A failure at one address affects no
 * other address. Thread-safe.
 */
public interface ControlChannel {

    /**
     * Why nothing can be sent to this address or, if this instance listens there, received, for humans; {@code null} if it can, as far
     * as is known. For this instance's own {@link ControlAddress.OfInstance} only receiving counts.
     */
    @Nullable
    String problem(ControlAddress address);

    /**
     * Sends to every instance that listens at this address now, this one included, at most once each, in any order. That nobody listens
     * there is no failure.
     *
     * @return completes within about a second: normally when the message is on its way, otherwise exceptionally
     */
    CompletableFuture<Void> tell(ControlAddress to, byte[] message);

    /** A channel that reaches nobody and receives nothing. */
    static ControlChannel none() {
        return new ControlChannel() {
            @Override
            public String problem(ControlAddress address) {
                return "the transport does not connect instances";
            }

            @Override
            public CompletableFuture<Void> tell(ControlAddress to, byte[] message) {
                return CompletableFuture.completedFuture(null);
            }
        };
    }
}
