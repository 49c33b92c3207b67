// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock, first come, first served. Unlike a {@link java.util.concurrent.locks.ReentrantLock}, it waits on the
 * timeline, so that in virtual time other threads go on meanwhile. Thread-safe.
 */
public final class ReentrantTurns {

    /** Duration of one wait; {@link #lock} repeats it, because the timeline only offers bounded waits. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Timeline timeline;
    private final WaitingLine line = new WaitingLine(1);
    private volatile @Nullable Thread owner;
    /** Only used by the owner. */
    private int holds;

    public ReentrantTurns(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Waits as long as it takes. An interrupt does not end the wait; the thread's interrupt flag is set again afterwards. */
    public void lock() {
        if (tryLock()) {
            return;
        }
        try {
            boolean unused = line.take(1, this::awaitHoweverLong);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        own();
    }

    private boolean awaitHoweverLong(CompletableFuture<Void> turn) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    if (Deadline.after(PATIENCE, timeline).await(turn)) {
                        return true;
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** @return whether the calling thread now holds the lock and must unlock it */
    public boolean tryLock() {
        if (owner == Thread.currentThread()) {
            holds++;
            return true;
        }
        boolean taken = line.tryTake(1);
        if (taken) {
            own();
        }
        return taken;
    }

    private void own() {
        owner = Thread.currentThread();
        holds = 1;
    }

    /** @throws IllegalMonitorStateException if the calling thread does not hold it */
    public void unlock() {
        if (owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException(
                    "The lock is held by %s: only the thread that locked it must unlock it".formatted(owner));
        }
        if (--holds == 0) {
            owner = null;
            line.give(1);
        }
    }
}
