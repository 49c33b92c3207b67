// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The message that an engine is handling on each thread. Every engine has its own instance, so that what another engine in this
 * JVM publishes is not part of this handling. Thread-safe.
 */
public final class CurrentHandling {

    /**
     * A {@link Handling}, or, in a thread started within one, a {@link WeakReference} to it: weak, because pools keep their
     * threads.
     */
    @SuppressWarnings("ThreadLocalUsage") // one per engine: two nodes in one JVM must not publish through each other
    private final ThreadLocal<@Nullable Object> ofThread = new InheritableThreadLocal<>() {
        @Override
        protected @Nullable Object childValue(@Nullable Object parent) {
            return parent instanceof Handling handling ? new WeakReference<>(handling) : parent;
        }
    };

    /** {@code null} when this thread is not handling a message. */
    public @Nullable Handling get() {
        return ofThread.get() instanceof Handling handling ? handling : null;
    }

    /**
     * The handling within which this thread was started, if it is still running. A hint only: threads that existed before, such
     * as most of a pool's, return {@code null}, and a pool's thread may be doing somebody else's work by now.
     */
    public @Nullable Handling startedIn() {
        return ofThread.get() instanceof WeakReference<?> reference
                        && reference.get() instanceof Handling handling
                        && handling.isRunning()
                ? handling
                : null;
    }

    /** @return the handling it replaces, to be {@link #restore restored} at the end */
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
