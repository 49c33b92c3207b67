// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.handling.MessageScope;
import io.safebunny.handling.Pipeline;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.DetailsByType;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the application's middlewares on a few other threads, with a bounded queue, for callers that hold locks or are in a transaction and
 * so must not wait for them. Thread-safe.
 */
final class Reports implements Executor {

    static final int MOST_THREADS = 4;
    static final int MOST_WAITING = 10_000;

    private final Executor threads;
    private final MessageScope scope;
    private final BoundedLog log;
    private final DetailsByType details;
    private final Pipeline<PublishContext> after;
    private final boolean hasAfter;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;

    /** @param threads must not run tasks on the calling thread */
    Reports(
            Executor threads,
            MessageScope scope,
            BoundedLog log,
            DetailsByType details,
            List<PublishMiddleware> afterGroup) {
        this.threads = threads;
        this.scope = scope;
        this.log = log;
        this.details = details;
        this.after = new Pipeline<>(afterGroup);
        this.hasAfter = !afterGroup.isEmpty();
    }

    /** The report of this publication; {@code null} if there is no middleware to report to. */
    @Nullable
    Report on(PublishCall call) {
        return hasAfter ? new Report(call, after, scope, this, log, details) : null;
    }

    /** @throws RejectedExecutionException if the queue is full or there is no thread; the report is not run */
    @Override
    public void execute(Runnable report) {
        synchronized (this) {
            if (waiting.size() >= MOST_WAITING) {
                throw new RejectedExecutionException(
                        "%s reports already wait: publish middlewares of the after group must be faster"
                                .formatted(MOST_WAITING));
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
                    return; // another thread has taken the report
                }
            }
            throw noThread;
        }
    }

    private void runAll() {
        for (Runnable report = next(); report != null; report = next()) {
            report.run(); // does not throw
            // an interrupt left behind by one report would make the next one fail
            boolean unused = Thread.interrupted();
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
