// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rate.leasing;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How long a message waits, and what ends that early. Immutable.
 *
 * @param ended completes when nothing of the type is to begin any more
 */
record Wait(String type, Deadline deadline, CompletableFuture<?> ended, Timeline timeline) {

    /**
     * Sleeps, unless that would be too long.
     *
     * @return whether it has
     * @throws NotHandledException nothing begins any more
     */
    boolean sleeps(long nanos) throws InterruptedException {
        requireNotEnded();
        if (deadline.isOver() || nanos > deadline.nanosLeft()) {
            return false;
        }
        sleep(nanos);
        return true;
    }

    /** Sleeps, however long that is. */
    void sleep(long nanos) throws InterruptedException {
        if (nanos > 0) {
            boolean unused = Deadline.after(Duration.ofNanos(nanos), timeline).await(ended);
        }
        requireNotEnded();
    }

    private void requireNotEnded() {
        if (ended.isDone()) {
            throw NotHandledException.later("Type %s is paused, or is being stopped".formatted(type), Duration.ZERO);
        }
    }
}
