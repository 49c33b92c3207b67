// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock, first come, first served. Unlike a {@link java.util.concurrent.locks.ReentrantLock}, it waits on the
 * timeline, so that in virtual time other threads go on meanwhile. Thread-safe.
 */
public final class ReentrantTurns {

    /** The timeline only offers bounded waits, so {@link #lock} repeats this one. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Timeline timeline;
    // guarded by this, like all fields below; created lazily, because threads rarely wait
    private @Nullable Deque<Waiter> line;
    private @Nullable Thread owner;
    private int holds;

    public ReentrantTurns(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Waiter(Thread thread, CompletableFuture<Void> turn) {}

    /** Waits as long as it takes. An interrupt does not end the wait; the thread's interrupt flag is set again afterwards. */
    public void lock() {
        Waiter waiter;
        synchronized (this) {
            if (tryLock()) {
                return;
            }
            waiter = new Waiter(Thread.currentThread(), new CompletableFuture<>());
            if (line == null) {
                line = new ArrayDeque<>(2);
            }
            line.addLast(waiter);
        }
        try {
            await(waiter.turn());
        } catch (Throwable e) {
            leaveLine(waiter);
            throw e;
        }
    }

    /** @return whether the calling thread now holds the lock and must unlock it */
    public synchronized boolean tryLock() {
        if (owner != null && owner != Thread.currentThread()) {
            return false;
        }
        owner = Thread.currentThread();
        holds++;
        return true;
    }

    /** @throws IllegalMonitorStateException if the calling thread does not hold it */
    public void unlock() {
        Waiter next;
        synchronized (this) {
            if (owner != Thread.currentThread()) {
                throw new IllegalMonitorStateException(
                        "The lock is held by %s: only the thread that locked it must unlock it".formatted(owner));
            }
            if (--holds > 0) {
                return;
            }
            next = handOver();
        }
        wake(next);
    }

    private void await(CompletableFuture<Void> turn) {
        boolean interrupted = Thread.interrupted();
        try {
            while (!turn.isDone()) {
                interrupted |= isInterruptedWhileAwaiting(turn);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isInterruptedWhileAwaiting(CompletableFuture<Void> turn) {
        try {
            Object unused = timeline.await(turn, PATIENCE);
            return false;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private void leaveLine(Waiter waiter) {
        Waiter next;
        synchronized (this) {
            if ((line != null && line.remove(waiter)) || owner != waiter.thread()) {
                return;
            }
            // it got the lock before it gave up
            next = handOver();
        }
        wake(next);
    }

    private @Nullable Waiter handOver() {
        Waiter next = line == null ? null : line.pollFirst();
        owner = next == null ? null : next.thread();
        holds = next == null ? 0 : 1;
        return next;
    }

    /** Call it without the monitor: completing the future may run foreign code. */
    private static void wake(@Nullable Waiter next) {
        if (next != null) {
            next.turn().complete(null);
        }
    }
}
