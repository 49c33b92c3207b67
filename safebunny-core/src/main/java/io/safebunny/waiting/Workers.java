// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import java.util.concurrent.Executor;

/**
 * The threads of a node: deliveries are handled on them, and what waits for a broker or a database. Deliberately not an {@link Executor}
 * itself: a bean of that type would make Boot's application task executor back off. As thread-safe as its executor.
 */
public final class Workers implements AutoCloseable {

    private final Executor executor;
    private final Runnable close;

    /** Whoever made the executor ends it. */
    public Workers(Executor executor) {
        this(executor, () -> {});
    }

    /**
     * @param executor needs a thread for each task that may block at the same time, and must not run tasks on the calling thread
     * @param close ends the executor's threads, and interrupts what still runs
     */
    public Workers(Executor executor, Runnable close) {
        this.executor = executor;
        this.close = close;
    }

    public Executor executor() {
        return executor;
    }

    /** Interrupts handlers that are still running: the grace period is over, and their messages come back. */
    @Override
    public void close() {
        close.run();
    }
}
