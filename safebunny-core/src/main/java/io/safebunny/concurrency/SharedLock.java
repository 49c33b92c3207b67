// SPDX-License-Identifier: Apache-2.0
package io.safebunny.concurrency;

import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;

/**
 * A read-write lock that waits on the timeline, so it works in virtual time, unlike a {@link
 * java.util.concurrent.locks.ReadWriteLock}. First come, first served: newcomers queue behind a waiting exclusive caller. Not
 * reentrant; any thread may release it. Thread-safe.
 */
public final class SharedLock {

    private static final int ALL = Integer.MAX_VALUE;

    private final Timeline timeline;
    private final WaitingLine line = new WaitingLine(ALL);
    private volatile boolean alone;

    public SharedLock(Timeline timeline) {
        this.timeline = timeline;
    }

    /** @return whether the caller now holds the lock, shared with others, and must release it */
    public boolean acquireTogether(Duration patience) throws InterruptedException {
        return acquire(1, patience);
    }

    /** @return whether the caller now holds the lock exclusively, and must release it */
    public boolean acquireAlone(Duration patience) throws InterruptedException {
        boolean acquired = acquire(ALL, patience);
        if (acquired) {
            alone = true;
        }
        return acquired;
    }

    public void release() {
        int held = alone ? ALL : 1;
        alone = false;
        line.give(held);
    }

    private boolean acquire(int permits, Duration patience) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for the lock");
        }
        return line.tryTake(permits) || line.take(permits, Deadline.after(patience, timeline)::await);
    }
}
