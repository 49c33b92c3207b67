// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.trip;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Steps between their effect and the record of it. A process that is halted there repeats the effect, which is declared and has rows of
 * its own; the rows of sagas halt somewhere else, while other messages may be in work, and so wait until none is there. Thread-safe.
 */
public final class OpenEffects {

    private static final int PATIENCE_SECONDS = 10;

    private final ReentrantReadWriteLock open = new ReentrantReadWriteLock(true);

    <T> T run(Callable<T> step) throws Exception {
        open.readLock().lock();
        try {
            return step.call();
        } finally {
            open.readLock().unlock();
        }
    }

    /** Lets none begin, and waits for the others; does nothing for a thread that is in one itself. */
    public void end() {
        if (open.getReadHoldCount() > 0) {
            return;
        }
        try {
            if (!open.writeLock().tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "A step has been between effect and record for too long. Check its handler.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
