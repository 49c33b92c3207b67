// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import io.safebunny.failure.PublishException.Publication;
import io.safebunny.time.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A publication that waits for its confirm. Only the caller that removes it from {@link Unconfirmed} completes it, so it completes once.
 */
final class Pending {

    final Publication publication;
    final Destination destination;
    final int size;
    final CompletableFuture<Void> future;
    final Deadline deadline;

    /** The broker's reason for returning it; guarded by {@link Unconfirmed}. */
    @Nullable
    String returned;

    /** @param size of the body in bytes */
    Pending(
            Publication publication,
            Destination destination,
            int size,
            CompletableFuture<Void> future,
            Deadline deadline) {
        this.publication = publication;
        this.destination = destination;
        this.size = size;
        this.future = future;
        this.deadline = deadline;
    }
}
