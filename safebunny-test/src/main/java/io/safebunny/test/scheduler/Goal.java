// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * When a run ends.
 *
 * @param until moment at which it ends; {@link Long#MAX_VALUE} to go on as long as the library waits for a retry of its own
 * @param future ends the run too, when it is done
 */
record Goal(long until, @Nullable CompletableFuture<?> future) {

    static final Goal IDLE = new Goal(Long.MAX_VALUE, null);
    /** The goal of unwinding: time stands still, and waiting tasks get a {@link ProcessEndedError}. */
    static final Goal UNWIND = new Goal(Long.MIN_VALUE, null);

    boolean isIdle() {
        return until == Long.MAX_VALUE;
    }

    boolean unwinds() {
        return until == Long.MIN_VALUE;
    }

    boolean isReached() {
        return future != null && future.isDone();
    }
}
