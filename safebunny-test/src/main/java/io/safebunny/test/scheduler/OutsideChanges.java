// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What comes to a run from other threads, and what {@link Outside} still announces. Thread-safe. */
final class OutsideChanges {

    /** Between two looks at what is outside. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();
    private volatile Outside outside = Outside.NOTHING;
    /** The thread that has the turn, while it waits here and judges for itself how long. */
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

    /** Happens when somebody has the turn next. */
    void add(Runnable change) {
        changes.add(change);
        LockSupport.unpark(looking);
    }

    /** Called by whoever has the turn, or between two runs. */
    void take() {
        for (Runnable change = changes.poll(); change != null; change = changes.poll()) {
            change.run();
        }
    }

    boolean hasAny() {
        return !changes.isEmpty();
    }

    /**
     * Waits until something has come, as long as it is announced.
     *
     * @param longest real time
     * @param standstill made from a message when it takes longer
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
