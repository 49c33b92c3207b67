// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Changes that other threads make to a run, and the wait for those that {@link Outside} announces. Thread-safe. */
final class OutsideChanges {

    /** Time between two polls of {@link Outside}. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();
    private volatile Outside outside = Outside.NOTHING;
    /** The thread that has the turn, while it waits here. It decides itself when to give up. */
    private volatile @Nullable Thread looking;

    void awaits(Outside other) {
        outside = other;
    }

    boolean isAwaited() {
        return outside.isAwaited();
    }

    boolean isLookedFor() {
        return looking != null;
    }

    /** Adds a change, which is made when some thread next has the turn. */
    void add(Runnable change) {
        changes.add(change);
        LockSupport.unpark(looking);
    }

    /** Makes the changes. Called by the thread that has the turn, or between two runs. */
    void take() {
        for (Runnable change = changes.poll(); change != null; change = changes.poll()) {
            change.run();
        }
    }

    boolean hasAny() {
        return !changes.isEmpty();
    }

    /**
     * Waits until a change has arrived, or none is announced any more.
     *
     * @param longest maximum real time to wait
     * @param standstill makes the exception, from a message, if the wait takes longer
     */
    void await(BooleanSupplier isOver, Duration longest, Function<String, StandstillException> standstill) {
        long since = System.nanoTime();
        looking = Thread.currentThread();
        try {
            while (changes.isEmpty() && !isOver.getAsBoolean() && outside.isAwaited()) {
                if (System.nanoTime() - since > longest.toNanos()) {
                    throw standstill.apply("Nothing came for %s s of real time, but there is still to come: %s"
                            .formatted(longest.toSeconds(), outside.giveUp()));
                }
                LockSupport.parkNanos(this, LOOK.toNanos());
            }
        } finally {
            looking = null;
        }
    }
}
