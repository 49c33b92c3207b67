// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import org.jspecify.annotations.Nullable;

/**
 * The message that one engine handles on each thread. Every engine has its own: another engine in this JVM publishes outside of
 * this handling. Thread-safe.
 */
public final class CurrentHandling {

    @SuppressWarnings("ThreadLocalUsage") // one per engine: two nodes in one JVM must not publish through each other
    private final ThreadLocal<@Nullable Handling> ofThread = new ThreadLocal<>();

    /** {@code null} when this thread handles nothing. */
    public @Nullable Handling get() {
        return ofThread.get();
    }

    /** @return the one it takes the place of, to be {@link #restore restored} when it ends */
    @Nullable
    Handling begin(Handling handling) {
        Handling outer = ofThread.get();
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
