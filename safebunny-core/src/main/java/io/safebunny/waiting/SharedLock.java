// SPDX-License-Identifier: Apache-2.0
package io.safebunny.waiting;

import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A read-write lock that waits on the timeline, so it works in virtual time, unlike a {@link
 * java.util.concurrent.locks.ReadWriteLock}. First come, first served: newcomers queue behind a waiting exclusive caller. Not
 * reentrant; any thread may release it. Thread-safe.
 */
public final class SharedLock {

    private final Timeline timeline;
    // guarded by this, like all fields below
    private final Deque<Waiter> line = new ArrayDeque<>();
    private int holders;
    private boolean alone;

    public SharedLock(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Waiter(boolean toBeAlone, CompletableFuture<Void> turn) {}

    /** @return whether the caller now holds it, shared, and must release it */
    public boolean acquireTogether(Duration patience) throws InterruptedException {
        return acquire(false, patience);
    }

    /** @return whether the caller now holds it, exclusively, and must release it */
    public boolean acquireAlone(Duration patience) throws InterruptedException {
        return acquire(true, patience);
    }

    public void release() {
        List<Waiter> next;
        synchronized (this) {
            holders--;
            alone = false;
            next = letIn();
        }
        wake(next);
    }

    private boolean acquire(boolean toBeAlone, Duration patience) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the lock");
        }
        Waiter waiter;
        synchronized (this) {
            if (line.isEmpty() && isFreeFor(toBeAlone)) {
                hold(toBeAlone);
                return true;
            }
            waiter = new Waiter(toBeAlone, new CompletableFuture<>());
            line.addLast(waiter);
        }
        try {
            boolean unused = Deadline.after(patience, timeline).await(waiter.turn());
        } catch (InterruptedException | RuntimeException | Error e) {
            if (!leaveLine(waiter)) {
                release();
            }
            throw e;
        }
        return !leaveLine(waiter);
    }

    /** @return {@code false} if it already got the lock */
    private boolean leaveLine(Waiter waiter) {
        List<Waiter> next;
        synchronized (this) {
            if (!line.remove(waiter)) {
                return false;
            }
            // those behind it may be able to proceed now
            next = letIn();
        }
        wake(next);
        return true;
    }

    private List<Waiter> letIn() {
        List<Waiter> next = line.isEmpty() ? List.of() : new ArrayList<>();
        for (Waiter first = line.peekFirst(); first != null && isFreeFor(first.toBeAlone()); first = line.peekFirst()) {
            hold(first.toBeAlone());
            next.add(line.removeFirst());
        }
        return next;
    }

    /** Call it without the monitor: completing the futures may run foreign code. */
    private static void wake(List<Waiter> next) {
        next.forEach(waiter -> waiter.turn().complete(null));
    }

    private boolean isFreeFor(boolean toBeAlone) {
        return toBeAlone ? holders == 0 : !alone;
    }

    private void hold(boolean toBeAlone) {
        holders++;
        alone = toBeAlone;
    }
}
