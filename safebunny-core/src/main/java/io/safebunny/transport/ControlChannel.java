// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reaches all running instances of one node, this one among them. Nothing is kept for instances that are away. Thread-safe. */
public interface ControlChannel {

    /** Why other instances cannot be reached, for humans; {@code null} while they can, as far as is known. */
    @Nullable
    String problem();

    /**
     * Sends to every instance that listens now, at most once each, in any order.
     *
     * @return completes when the message is on its way, or exceptionally when it is not, within about a second
     */
    CompletableFuture<Void> tell(byte[] message);

    /** Nobody is reached, and nothing heard. */
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
