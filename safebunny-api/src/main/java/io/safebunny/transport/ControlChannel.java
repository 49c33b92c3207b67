// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reaches all running instances of one node, including this one. Messages are not kept for instances that are offline.
 * Thread-safe.
 */
public interface ControlChannel {

    /** Why other instances cannot be reached, for humans; {@code null} if they can, as far as is known. */
    @Nullable
    String problem();

    /**
     * Sends to every instance that listens now, at most once each, in any order.
     *
     * @return completes within about a second: normally when the message is on its way, otherwise exceptionally
     */
    CompletableFuture<Void> tell(byte[] message);

    /** A channel that reaches nobody and receives nothing. */
    static ControlChannel none() {
        return new ControlChannel() {
            @Override
            public String problem() {
                return "the transport does not connect instances";
            }

            @Override
            public CompletableFuture<Void> tell(byte[] message) {
                return CompletableFuture.completedFuture(null);
            }
        };
    }
}
