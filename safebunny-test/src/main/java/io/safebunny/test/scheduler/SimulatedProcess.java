// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * One process of a {@link DeterministicScheduler}: its clock, its timers and its threads, which end with it. What runs in it when it ends
 * never goes on, not even to a {@code finally}, before the scheduler is closed; then it gets a {@link ProcessEndedError}, to give its
 * thread back. Thread-safe.
 */
public final class SimulatedProcess {

    private final DeterministicScheduler scheduler;
    private final String name;
    private final Timeline timeline = new View();
    private final Executor executor = task -> execute(task, false);
    private final Random random;
    private volatile Duration skew = Duration.ZERO;
    private volatile boolean ended;

    SimulatedProcess(DeterministicScheduler scheduler, String name, long seed) {
        this.scheduler = scheduler;
        this.name = name;
        this.random = new Random(seed);
    }

    public String name() {
        return name;
    }

    /** The scheduler's time, with this process's {@link #skew} on its wall clock, and random numbers that are the same in each run. */
    public Timeline timeline() {
        return timeline;
    }

    /**
     * Runs each task on a stack of its own, never on the caller's.
     *
     * @throws RejectedExecutionException by {@code execute}: the process has ended
     */
    public Executor executor() {
        return executor;
    }

    /**
     * Runs the task as {@link #executor} does, because something has happened to the process: a delivery came.
     *
     * @throws RejectedExecutionException the process has ended
     */
    public void begin(Runnable task) {
        execute(task, true);
    }

    /** From now on its wall clock is wrong by this much. The monotonic one is not concerned. */
    public void skew(Duration other) {
        skew = other;
    }

    /** At once and for good. When a task of this process calls it, it does not return. */
    public void end() {
        if (!ended) {
            ended = true;
            scheduler.end(this);
        }
    }

    public boolean hasEnded() {
        return ended;
    }

    /**
     * Called before and after what another process could notice: others may go on first. Nothing happens outside of a run.
     *
     * @param what for reports
     */
    public void point(String what) {
        requireAlive();
        scheduler.point(this, what);
    }

    /** Whether the calling thread runs a task of the scheduler now. Threads that a task has started do not. */
    public boolean isCalledByTask() {
        return scheduler.hasTurn();
    }

    /** Whether there is anything that could go on before the running task. Timers are never interrupted. */
    public boolean canBeInterrupted() {
        return scheduler.canInterrupt();
    }

    /**
     * Lets everything that is ready go on before the running task does, if there is anything.
     *
     * @param what is done here, for reports
     */
    public void interrupt(String what) {
        scheduler.interrupt(what);
        requireAlive();
    }

    /** Nothing of this process goes on for that long, as when it collects garbage. When one of its tasks calls this, that waits, too. */
    public void pause(Duration duration) {
        scheduler.pause(this, duration);
        requireAlive();
    }

    @Override
    public String toString() {
        return name;
    }

    private void execute(Runnable task, boolean isNews) {
        if (ended) {
            throw new RejectedExecutionException(name + " has ended");
        }
        scheduler.execute(this, task, isNews);
    }

    private void requireAlive() {
        if (ended) {
            scheduler.leave(this);
        }
    }

    private final class View implements Timeline {

        @Override
        public Instant now() {
            return scheduler.now().plus(skew);
        }

        @Override
        public long nanoTime() {
            return scheduler.nanoTime();
        }

        @Override
        public Duration lead() {
            return scheduler.elapsed();
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            return schedule(Purpose.PROGRESS, delay, task);
        }

        @Override
        public Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
            return ended ? () -> {} : scheduler.schedule(SimulatedProcess.this, purpose, delay, task);
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
            requireAlive();
            scheduler.await(SimulatedProcess.this, future, timeout);
            requireAlive();
            if (!future.isDone()) {
                throw new TimeoutException("not done after " + timeout.toMillis() + " ms");
            }
            return future.get();
        }

        @Override
        public RandomGenerator random() {
            return random;
        }
    }
}
