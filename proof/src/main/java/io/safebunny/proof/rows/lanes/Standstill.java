// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import java.time.Duration;

/** The longest time in which messages waited and none was handled, as far as it is looked. Not thread-safe. */
final class Standstill {

    private int handled;
    private long since = System.nanoTime();
    private long longest;

    /**
     * Has a look.
     *
     * @param now number of those that are handled
     * @param due number of those that are published and wait for nobody but the instances
     */
    void look(int now, int due) {
        long at = System.nanoTime();
        if (now > handled || now >= due) {
            handled = now;
            since = at;
        } else {
            longest = Math.max(longest, at - since);
        }
    }

    double seconds() {
        return Math.round(longest / (double) Duration.ofMillis(100).toNanos()) / 10.0;
    }
}
