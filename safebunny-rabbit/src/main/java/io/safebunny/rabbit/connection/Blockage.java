// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import io.safebunny.time.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether the broker has blocked the connection because it is short of memory or disk. Writing to a blocked connection would block
 * in the socket, so writers wait here instead, with a deadline. Thread-safe.
 */
final class Blockage {

    /** Completes when the broker unblocks the connection; {@code null} while it is not blocked. */
    private volatile @Nullable CompletableFuture<Void> ended;

    private boolean over;

    synchronized void begin() {
        if (ended == null && !over) {
            ended = new CompletableFuture<>();
        }
    }

    synchronized void end() {
        CompletableFuture<Void> before = ended;
        ended = null;
        if (before != null) {
            before.complete(null);
        }
    }

    /** Call when the connection is closed for good: it can no longer become blocked. */
    synchronized void endForGood() {
        over = true;
        end();
    }

    boolean isThere() {
        return ended != null;
    }

    /** @return false if the connection is still blocked at the deadline */
    boolean awaitEnd(Deadline deadline) throws InterruptedException {
        CompletableFuture<Void> present = ended;
        while (present != null && deadline.await(present)) {
            present = ended; // the connection may be blocked again
        }
        return present == null;
    }
}
