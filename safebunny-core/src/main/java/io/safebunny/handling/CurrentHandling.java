// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The message that one engine handles on each thread. Every engine has its own: another engine in this JVM publishes outside of
 * this handling. Thread-safe.
 */
public final class CurrentHandling {

    /** A {@link Handling}, or in a thread that was started within one a {@link WeakReference} to it: pools keep their threads. */
    @SuppressWarnings("ThreadLocalUsage") // one per engine: two nodes in one JVM must not publish through each other
    private final ThreadLocal<@Nullable Object> ofThread = new InheritableThreadLocal<>() {
        @Override
        protected @Nullable Object childValue(@Nullable Object parent) {
            return parent instanceof Handling handling ? new WeakReference<>(handling) : parent;
        }
    };

    /** {@code null} when this thread handles nothing. */
    public @Nullable Handling get() {
        return ofThread.get() instanceof Handling handling ? handling : null;
    }

    /**
     * The handling within which this thread was started, if that goes on. {@code null} also for a thread that was there before, such as most of
     * a pool's; and a pool's thread may do something else by now.
     */
    public @Nullable Handling startedIn() {
        return ofThread.get() instanceof WeakReference<?> reference
                        && reference.get() instanceof Handling handling
                        && handling.isRunning()
                ? handling
                : null;
    }

    /** @return the one it takes the place of, to be {@link #restore restored} when it ends */
    @Nullable
    Handling begin(Handling handling) {
        Handling outer = get();
        ofThread.set(handling);
        return outer;
    }

    void restore(@Nullable Handling outer) {
        if (outer == null) {
            ofThread.remove();
        } else {
            ofThread.set(outer);
        }
    }
}
