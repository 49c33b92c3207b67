// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.store.record.RecordKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The lanes of one type that are due, of which a few run side by side and the others wait. Thread-safe. */
final class LaneLine {

    private final Semaphore free;
    /** In the order in which they came; guarded by this. */
    private final Set<RecordKey> due = new LinkedHashSet<>();

    LaneLine(int atOnce) {
        this.free = new Semaphore(atOnce);
    }

    /**
     * Runs the lane on the calling thread, or leaves it to one that runs others. Returns when nothing is left that this thread could run.
     *
     * @param action must not throw
     */
    void run(RecordKey lane, Consumer<RecordKey> action) {
        add(lane);
        while (isWaitedIn() && free.tryAcquire()) {
            try {
                RecordKey next = poll();
                if (next != null) {
                    action.accept(next);
                }
            } finally {
                free.release();
            }
        }
    }

    private synchronized void add(RecordKey lane) {
        due.add(lane);
    }

    private synchronized boolean isWaitedIn() {
        return !due.isEmpty();
    }

    private synchronized @Nullable RecordKey poll() {
        Iterator<RecordKey> lanes = due.iterator();
        RecordKey first = lanes.hasNext() ? lanes.next() : null;
        due.remove(first);
        return first;
    }
}
