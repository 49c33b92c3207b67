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
 * One process of a {@link DeterministicScheduler}: its clock, timers and threads, which end with it. A task that is running when the
 * process ends never continues, not even to a {@code finally}. Only when the scheduler is closed does it get a {@link ProcessEndedError},
 * which releases its thread. Thread-safe.
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
     * Runs each task on its own stack, never on the caller's.
     *
     * @throws RejectedExecutionException thrown by {@code execute} if the process has ended
     */
    public Executor executor() {
        return executor;
    }

    /**
     * Runs the task as {@link #executor} does, for an event from outside the process, such as a delivery.
     *
     * @throws RejectedExecutionException if the process has ended
     */
    public void begin(Runnable task) {
        execute(task, true);
    }

    /** Skews the wall clock of the process from now on, but not its monotonic clock. */
    public void skew(Duration other) {
        skew = other;
    }

    /** Ends the process at once. If called by a task of this process, does not return. */
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
     * Call before and after an action that another process could observe: other tasks may then run first. Has no effect outside of a run.
     *
     * @param what for reports
     */
    public void point(String what) {
        requireAlive();
        scheduler.point(this, what);
    }

    /** Whether the calling thread is running a task of the scheduler. False for threads that a task has started. */
    public boolean isCalledByTask() {
        return scheduler.hasTurn();
    }

    /** Whether another task could run before the current one. Timers are never interrupted. */
    public boolean canBeInterrupted() {
        return scheduler.canInterrupt();
    }

    /**
     * Lets all ready tasks run before the current one continues.
     *
     * @param what for reports
     */
    public void interrupt(String what) {
        scheduler.interrupt(what);
        requireAlive();
    }

    /** Pauses the process for this long, as a garbage collection would, including the calling task if it belongs to the process. */
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
                return; // the time is over
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
