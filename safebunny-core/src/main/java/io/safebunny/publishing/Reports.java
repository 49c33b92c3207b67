// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the application's middlewares for those who must not wait for them, as they hold locks or are part of a transaction: never on the
 * thread that asks, on a few threads, and of those that wait not more than fit. Thread-safe.
 */
final class Reports implements Executor {

    static final int MOST_THREADS = 4;
    static final int MOST_WAITING = 10_000;

    private final Executor threads;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;

    /** @param threads must not run tasks on the calling thread */
    Reports(Executor threads) {
        this.threads = threads;
    }

    /** @throws RejectedExecutionException too many wait, or there is no thread: it is not run */
    @Override
    public void execute(Runnable report) {
        synchronized (this) {
            if (waiting.size() >= MOST_WAITING) {
                throw new RejectedExecutionException(
                        "%s others wait for publish middlewares of the after group".formatted(MOST_WAITING));
            }
            waiting.add(report);
            if (running == MOST_THREADS) {
                return;
            }
            running++;
        }
        try {
            threads.execute(this::runAll);
        } catch (Throwable noThread) {
            synchronized (this) {
                running--;
                if (!waiting.remove(report)) {
                    return; // another thread has taken it
                }
            }
            throw noThread;
        }
    }

    private void runAll() {
        for (Runnable report = next(); report != null; report = next()) {
            report.run(); // does not throw
            boolean unused = Thread.interrupted(); // left behind by one report, it would fail the next
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        if (next == null) {
            running--;
        }
        return next;
    }
}
