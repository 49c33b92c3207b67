// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.trip;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Steps whose effect has happened but is not recorded yet. A process halted in between repeats the effect, which is documented and has rows of its own; the rows of sagas halt elsewhere, while other messages may be in work, and so wait until no step is open. Thread-safe.
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

    /** Lets no step begin and waits for open ones; does nothing on a thread that is in a step itself. */
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
