// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.time.Duration;

/** The longest time between two signs of life, until the end. Thread-safe. */
final class Pulse {

    private long lastAt = System.nanoTime();
    private long longest;
    private boolean ended;

    synchronized void beat() {
        if (!ended) {
            long now = System.nanoTime();
            longest = Math.max(longest, now - lastAt);
            lastAt = now;
        }
    }

    synchronized void end() {
        beat();
        ended = true;
    }

    synchronized Duration longestSilence() {
        return Duration.ofNanos(longest);
    }
}
