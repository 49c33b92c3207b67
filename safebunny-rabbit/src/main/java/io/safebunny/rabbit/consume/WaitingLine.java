// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a queue that wait for a worker, in order of arrival. Up to {@code prefetch} run at once, some only in {@linkplain
 * Isolation isolation}. Also remembers whether a worker is being started, so that only one is started at a time. Thread-safe.
 */
final class WaitingLine {

    private final int prefetch;

    private final Object lock = new Object();
    // guarded by the lock
    private final Isolation isolation;
    private final Deque<RabbitDelivery> waiting = new ArrayDeque<>();
    private int running;
    /** Number of workers that have taken a shareable delivery, perhaps with others to be handled together. */
    private int busyWorkers;
    /** Whether a worker was requested that has not begun yet. */
    private boolean starting;

    /** @param isolation must not be shared: it is guarded by this object's lock */
    WaitingLine(int prefetch, Isolation isolation) {
        this.prefetch = prefetch;
        this.isolation = isolation;
    }

    /** @param asked prefetch of the consumer that received the delivery */
    void add(RabbitDelivery delivery, int asked) {
        synchronized (lock) {
            isolation.delivered(delivery, asked);
            waiting.add(delivery);
        }
    }

    /** Call when the channel was lost. */
    void beCautious() {
        synchronized (lock) {
            isolation.beCautious();
        }
    }

    /** Whether no delivery is being handled or waiting. */
    boolean isIdle() {
        synchronized (lock) {
            return running == 0 && waiting.isEmpty();
        }
    }

    /**
     * The prefetch that the consumer should have now, 0 for no consumer.
     *
     * @param present prefetch of the current consumer, 0 for none
     */
    int wantedPrefetch(int present) {
        synchronized (lock) {
            if (isolation.isInForce()) {
                // a consumer with prefetch 1 can stay: its place is taken, so the broker sends nothing more
                return present == 1 ? 1 : 0;
            }
            if (present == 0 && running + waiting.size() >= prefetch) {
                // earlier consumers already delivered as many as may run at once
                return 0;
            }
            return isolation.isCautious() ? 1 : prefetch;
        }
    }

    /**
     * @param together how many deliveries a worker handles together
     * @return whether the caller must start a worker, and call {@link #endStart} when it has begun or could not be started
     */
    boolean claimStart(int together) {
        synchronized (lock) {
            if (starting || !nextMayBegin(together)) {
                return false;
            }
            starting = true;
            return true;
        }
    }

    /** Call when the requested worker has begun, or could not be started. */
    void endStart() {
        synchronized (lock) {
            starting = false;
        }
    }

    /**
     * Takes the next delivery. If it is shareable, call {@link #workEnded} when it and those {@linkplain #takeMore taken with it} are
     * finished.
     *
     * @param together how many deliveries a worker handles together
     * @return {@code null} when none may begin now
     */
    @Nullable
    RabbitDelivery takeNext(int together) {
        synchronized (lock) {
            if (!nextMayBegin(together)) {
                return null;
            }
            RabbitDelivery next = waiting.remove();
            isolation.begins(next);
            running++;
            busyWorkers += next.isShareable() ? 1 : 0;
            return next;
        }
    }

    /** Call when a worker has finished the shareable deliveries that it took. */
    void workEnded() {
        synchronized (lock) {
            busyWorkers--;
        }
    }

    /** Puts deliveries that were taken back to the front of the line, each to be handled on its own. */
    void giveBack(List<RabbitDelivery> left) {
        synchronized (lock) {
            running -= left.size();
            for (int i = left.size() - 1; i >= 0; i--) {
                left.get(i).separate();
                waiting.addFirst(left.get(i));
            }
        }
    }

    /**
     * If deliveries are handled together, only a few workers may take them: otherwise a worker would always be free, and no deliveries
     * would wait to be handled together.
     */
    private boolean nextMayBegin(int together) {
        return nextMayBegin()
                && (together == 1
                        || !waiting.element().isShareable()
                        || busyWorkers < Math.max(1, prefetch / together));
    }

    /**
     * Adds the waiting deliveries that may begin now, up to the next one that must be handled on its own.
     *
     * @param taken the shareable delivery that was {@linkplain #takeNext taken}; the others are added to it
     * @param most maximum size of the list afterwards
     */
    void takeMore(List<RabbitDelivery> taken, int most) {
        synchronized (lock) {
            while (taken.size() < most && nextMayBegin() && waiting.element().isShareable()) {
                running++;
                taken.add(waiting.remove());
            }
        }
    }

    /** Whether the next delivery may begin; if not, its waiting time starts. Call with the lock held. */
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

    /** Call once for each delivery taken. */
    void finished(RabbitDelivery delivery) {
        synchronized (lock) {
            running--;
            isolation.finished(delivery);
        }
    }

    /**
     * Call when others stop waiting for this delivery.
     *
     * @return false if they had stopped before
     */
    boolean release(RabbitDelivery delivery) {
        synchronized (lock) {
            return isolation.release(delivery);
        }
    }
}
