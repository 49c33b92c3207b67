// SPDX-License-Identifier: Apache-2.0
package io.safebunny.doubles;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Time for tests and simulations. It stands still until {@link #advance} or, if it is {@link #skipping}, until a thread sleeps or
 * waits. Scheduled tasks run on the thread that moves the time. Thread-safe.
 *
 * <p>Unless it is skipping, one thread advances while others sleep and wait; use {@link #pending} to see whether they are asleep
 * before moving the time.
 */
public final class VirtualTimeline implements Timeline {

    /** The initial time. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Instant start;
    private final boolean skips;
    private final Random random = new Random(1); // thread-safe, unlike a SplittableRandom
    // guarded by this, like the field below
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private long elapsed;
    private long order;

    private VirtualTimeline(Instant start, boolean skips) {
        this.start = start;
        this.skips = skips;
    }

    /** Begins at {@link #START}. */
    public VirtualTimeline() {
        this(START);
    }

    public VirtualTimeline(Instant start) {
        this(start, false);
    }

    /**
     * Begins at {@link #START}. A thread that sleeps or waits does not block, but moves the time itself, running tasks as they
     * become due, until its wait is over. So one thread is enough for a whole scenario.
     */
    public static VirtualTimeline skipping() {
        return new VirtualTimeline(START, true);
    }

    /**
     * Moves the time, and runs each task on the calling thread when it becomes due: the earliest first, and tasks due at the same
     * time in the order in which they were scheduled. Includes tasks scheduled by these tasks. Zero runs tasks that are due now.
     */
    public void advance(Duration duration) {
        long end = nanoTime() + duration.toNanos();
        while (runNext(end)) {
            // runs one task at a time
        }
    }

    /** Time since the beginning. */
    public Duration elapsed() {
        return Duration.ofNanos(nanoTime());
    }

    /** Number of scheduled tasks, including one for each blocked thread. */
    public synchronized int pending() {
        return tasks.size();
    }

    /** @return {@code false} if no task is due until {@code end}; the time is {@code end} then */
    private boolean runNext(long end) {
        Task due = moveToNext(end);
        if (due != null) {
            due.action().run();
        }
        return due != null;
    }

    /** Moves to the next task. Never moves the time backwards, as several threads may move it. */
    private synchronized @Nullable Task moveToNext(long end) {
        Task next = tasks.peek();
        if (next == null || next.due() > end) {
            elapsed = Math.max(elapsed, end);
            return null;
        }
        elapsed = Math.max(elapsed, next.due());
        return tasks.poll();
    }

    @Override
    public Instant now() {
        return start.plusNanos(nanoTime());
    }

    @Override
    public Duration lead() {
        return elapsed();
    }

    @Override
    public synchronized long nanoTime() {
        return elapsed;
    }

    @Override
    public synchronized Cancellable schedule(Duration delay, Runnable action) {
        Task task = new Task(elapsed + Math.max(0, delay.toNanos()), order++, action);
        tasks.add(task);
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (skips) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted before sleeping");
            }
            advance(duration);
            return;
        }
        try {
            await(new CompletableFuture<Void>(), duration);
        } catch (TimeoutException e) {
            return; // time has moved to the end of the sleep
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (skips) {
            skipUntil(future, timeout);
        } else {
            blockUntil(future, timeout);
        }
        if (!future.isDone()) {
            throw new TimeoutException("not done after " + timeout.toMillis() + " ms");
        }
        return future.get();
    }

    private void skipUntil(CompletableFuture<?> future, Duration timeout) throws InterruptedException {
        long end = nanoTime() + timeout.toNanos();
        do {
            if (!future.isDone() && Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting");
            }
        } while (!future.isDone() && runNext(end));
    }

    private void blockUntil(CompletableFuture<?> future, Duration timeout)
            throws InterruptedException, ExecutionException {
        if (future.isDone() || timeout.compareTo(Duration.ZERO) <= 0) {
            return;
        }
        CompletableFuture<Void> wake = new CompletableFuture<>();
        Cancellable timer = schedule(timeout, () -> wake.complete(null));
        try {
            CompletableFuture.anyOf(future.handle((value, failure) -> wake.complete(null)), wake)
                    .get();
        } finally {
            timer.cancel();
        }
    }

    /** {@inheritDoc} Gives the same numbers in every run. */
    @Override
    public RandomGenerator random() {
        return random;
    }

    private record Task(long due, long order, Runnable action) implements Comparable<Task> {

        @Override
        public int compareTo(Task other) {
            return due == other.due ? Long.compare(order, other.order) : Long.compare(due, other.due);
        }
    }
}
