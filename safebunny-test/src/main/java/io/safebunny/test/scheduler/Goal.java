// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How far a run goes.
 *
 * @param until a moment; {@link Long#MAX_VALUE} for as long as the library waits for something to be tried again
 * @param future ends it, too
 */
record Goal(long until, @Nullable CompletableFuture<?> future) {

    static final Goal IDLE = new Goal(Long.MAX_VALUE, null);
    /** Time stands still, and waiting tasks get a {@link ProcessEndedError}. */
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
