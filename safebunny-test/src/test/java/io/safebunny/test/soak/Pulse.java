// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.soak;

import java.time.Duration;

/** The longest time between two signs of life. Thread-safe. */
final class Pulse {

    private long lastAt = System.nanoTime();
    private long longest;

    synchronized void beat() {
        longest = Math.max(longest, silence());
        lastAt = System.nanoTime();
    }

    /** The present silence counts too. */
    synchronized Duration longestSilence() {
        return Duration.ofNanos(Math.max(longest, silence()));
    }

    synchronized Duration present() {
        return Duration.ofNanos(silence());
    }

    private long silence() {
        return System.nanoTime() - lastAt;
    }
}
