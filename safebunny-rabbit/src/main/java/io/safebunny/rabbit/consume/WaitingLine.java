// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a queue that wait for a worker, and whose turn it is: in the order they came, up to {@code prefetch} at once, and some
 * {@linkplain Isolation alone}. Also knows whether a worker is asked for, so that it is one at a time. Thread-safe.
 */
final class WaitingLine {

    private final int prefetch;

    private final Object lock = new Object();
    // guarded by the lock
    private final Isolation isolation;
    private final Deque<RabbitDelivery> waiting = new ArrayDeque<>();
    private int running;
    /** A worker was asked for that has not begun. */
    private boolean starting;

    /** @param isolation not used by anybody else */
    WaitingLine(int prefetch, Isolation isolation) {
        this.prefetch = prefetch;
        this.isolation = isolation;
    }

    /** @param asked the prefetch of the consumer that brought it */
    void add(RabbitDelivery delivery, int asked) {
        synchronized (lock) {
            isolation.delivered(delivery, asked);
            waiting.add(delivery);
        }
    }

    /** The next channel is a new one. */
    void beCautious() {
        synchronized (lock) {
            isolation.beCautious();
        }
    }

    /** Whether nothing is being handled, and nothing waits for it. */
    boolean isIdle() {
        synchronized (lock) {
            return running == 0 && waiting.isEmpty();
        }
    }

    /**
     * How much a consumer may bring at once now, 0 for nothing.
     *
     * @param present what the present consumer may bring, 0 when there is none
     */
    int wantedPrefetch(int present) {
        synchronized (lock) {
            if (isolation.isInForce()) {
                return present == 1 ? 1 : 0; // its place is taken, so the broker gives nothing more
            }
            if (present == 0 && running + waiting.size() >= prefetch) {
                return 0; // earlier consumers brought as many as may be handled at once
            }
            return isolation.isCautious() ? 1 : prefetch;
        }
    }

    /** @return whether the caller is to ask for a worker, and then to tell what came of it */
    boolean claimStart() {
        synchronized (lock) {
            if (starting || !nextMayBegin()) {
                return false;
            }
            starting = true;
            return true;
        }
    }

    /** The worker that was asked for has begun, or there is none. */
    void endStart() {
        synchronized (lock) {
            starting = false;
        }
    }

    /** {@code null} when none may begin now. */
    @Nullable
    RabbitDelivery takeNext() {
        synchronized (lock) {
            if (!nextMayBegin()) {
                return null;
            }
            isolation.begins(waiting.element());
            running++;
            return waiting.remove();
        }
    }

    /** If not, its patience begins. Under the lock. */
    private boolean nextMayBegin() {
        RabbitDelivery next = waiting.peek();
        if (next == null) {
            return false;
        }
        boolean may = isolation.mayBegin(next, running);
        if (!may) {
            isolation.waits(next);
        }
        return may;
    }

    /** To be called once for each that was taken. */
    void finished(RabbitDelivery delivery) {
        synchronized (lock) {
            running--;
            isolation.finished(delivery);
        }
    }

    /** @return whether others waited for it; from now on they do not */
    boolean acquit(RabbitDelivery delivery) {
        synchronized (lock) {
            return isolation.acquit(delivery);
        }
    }
}
