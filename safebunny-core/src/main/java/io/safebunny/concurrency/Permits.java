// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Deadline;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/**
 * A bounded number of permits. Unlike a {@link Semaphore}, it waits on the deadline's timeline, so it works in virtual time. A newcomer may
 * overtake the line: a permit that is reserved for a thread that is still waking up would be unused meanwhile. Thread-safe.
 */
public final class Permits {

    private final Semaphore free;
    private final Deque<CompletableFuture<Void>> line = new ConcurrentLinkedDeque<>();

    public Permits(int count) {
        this.free = new Semaphore(count);
    }

    /** @return {@code true}: the caller has a permit and must release it; {@code false}: the deadline passed first */
    public boolean acquire(Deadline deadline) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for a permit");
        }
        return free.tryAcquire() || waitInLine(deadline);
    }

    public void release() {
        free.release();
        wakeNext();
    }

    private boolean waitInLine(Deadline deadline) throws InterruptedException {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        line.addLast(turn);
        boolean acquired = acquireInTurn(turn, deadline);
        // if a newcomer was faster after the wake-up, go back to the head of the line
        while (!acquired && !deadline.isOver()) {
            turn = new CompletableFuture<>();
            line.addFirst(turn);
            acquired = acquireInTurn(turn, deadline);
        }
        return acquired;
    }

    private boolean acquireInTurn(CompletableFuture<Void> turn, Deadline deadline) throws InterruptedException {
        try {
            // try again: a permit that was released before this turn joined the line has woken nobody
            if (free.tryAcquire()) {
                return true;
            }
            boolean unused = deadline.await(turn);
            return free.tryAcquire();
        } finally {
            boolean woken = turn.isDone() || !line.removeIf(other -> other == turn);
            // the wake-up may have been for another waiter
            if (woken && free.availablePermits() > 0) {
                wakeNext();
            }
        }
    }

    private void wakeNext() {
        CompletableFuture<Void> next = line.pollFirst();
        if (next != null) {
            next.complete(null);
        }
    }
}
