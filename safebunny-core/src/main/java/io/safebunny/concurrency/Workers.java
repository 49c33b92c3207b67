// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import java.util.concurrent.Executor;

/**
 * The threads of a node, for handling deliveries and for waiting on a broker or a database. Deliberately not an {@link Executor}: a bean of
 * that type would keep Boot from creating its application task executor. As thread-safe as its executor.
 */
public final class Workers implements AutoCloseable {

    private final Executor executor;
    private final Runnable close;

    /** The caller shuts the executor down. */
    public Workers(Executor executor) {
        this(executor, () -> {});
    }

    /**
     * @param executor must have a thread for each task that may block at the same time, and must not run tasks on the calling
     *     thread
     * @param close shuts the executor down and interrupts running tasks
     */
    public Workers(Executor executor, Runnable close) {
        this.executor = executor;
        this.close = close;
    }

    public Executor executor() {
        return executor;
    }

    /** Interrupts handlers that are still running: the grace period is over, and their messages will be redelivered. */
    @Override
    public void close() {
        close.run();
    }
}
