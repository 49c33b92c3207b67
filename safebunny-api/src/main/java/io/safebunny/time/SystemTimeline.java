// SPDX-License-Identifier: Apache-2.0
package io.safebunny.time;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/** The machine's time and randomness, with one daemon thread for scheduled tasks. Close it when the application ends. */
public final class SystemTimeline implements Timeline, AutoCloseable {

    private final Clock clock = Clock.systemUTC();
    private final SecureRandom random = new SecureRandom();
    private final ScheduledThreadPoolExecutor scheduler;

    /** @param name name of the scheduling thread */
    public SystemTimeline(String name) {
        scheduler = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    /** Does nothing after {@link #close()}. */
    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        if (scheduler.isShutdown()) {
            return () -> {};
        }
        Future<?> future = scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
