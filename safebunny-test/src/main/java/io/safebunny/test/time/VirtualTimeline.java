// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.time;

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
 * Time for tests: it stands still until {@link #advance}. Thread-safe; one thread advances, others may sleep and wait.
 * A thread that has to be asleep before time moves on can be waited for with {@link #pending()}.
 */
public final class VirtualTimeline implements Timeline {

    private final Instant start;
    private final Random random = new Random(1); // thread-safe, other than a SplittableRandom
    private final PriorityQueue<Task> tasks = new PriorityQueue<>(); // guarded by this
    private long elapsed;
    private long order;

    /** Begins at 2026-01-01T00:00:00Z. */
    public VirtualTimeline() {
        this(Instant.parse("2026-01-01T00:00:00Z"));
    }

    public VirtualTimeline(Instant start) {
        this.start = start;
    }

    /**
     * Moves time on, and stops on the way at each task that becomes due to run it in the calling thread: the earliest
     * first, of equally early ones the one scheduled first. Tasks scheduled by tasks count too. Zero runs what is due.
     */
    public void advance(Duration duration) {
        long end = nanoTime() + duration.toNanos();
        Task due = moveToNext(end);
        while (due != null) {
            due.action().run();
            due = moveToNext(end);
        }
    }

    /** Tasks not yet due, sleeping and waiting threads among them. */
    public synchronized int pending() {
        return tasks.size();
    }

    private synchronized @Nullable Task moveToNext(long end) {
        Task next = tasks.peek();
        if (next == null || next.due() > end) {
            elapsed = end;
            return null;
        }
        elapsed = next.due();
        return tasks.poll();
    }

    @Override
    public Instant now() {
        return start.plusNanos(nanoTime());
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
        try {
            await(new CompletableFuture<Void>(), duration);
        } catch (TimeoutException e) {
            return; // slept
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!future.isDone() && timeout.compareTo(Duration.ZERO) > 0) {
            CompletableFuture<Void> wake = new CompletableFuture<>();
            Cancellable timer = schedule(timeout, () -> wake.complete(null));
            try {
                CompletableFuture.anyOf(future.handle((value, failure) -> wake.complete(null)), wake)
                        .get();
            } finally {
                timer.cancel();
            }
        }
        if (!future.isDone()) {
            throw new TimeoutException("not done after " + timeout.toMillis() + " ms");
        }
        return future.get();
    }

    /** The same numbers in each run. */
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
