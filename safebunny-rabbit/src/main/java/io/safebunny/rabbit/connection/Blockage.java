// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import io.safebunny.time.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Whether the broker reads nothing that is published, because it is short of memory or disk. What is written to a blocked connection
 * stays in the socket, with the writer in it, so writers wait here instead. Thread-safe.
 */
final class Blockage {

    /** Completed when it ends; {@code null} while there is none. */
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

    /** None begins after this: the connection is closed. */
    synchronized void endForGood() {
        over = true;
        end();
    }

    boolean isThere() {
        return ended != null;
    }

    /** @return false when there was one all the time */
    boolean awaitEnd(Deadline deadline) throws InterruptedException {
        CompletableFuture<Void> present = ended;
        while (present != null && deadline.await(present)) {
            present = ended; // again, perhaps
        }
        return present == null;
    }
}
