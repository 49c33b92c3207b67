// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.util.function.BooleanSupplier;

/** Holds the bytes of all connections while it is shut; thread-safe. */
final class Valve {

    private boolean shut;

    synchronized void shut() {
        shut = true;
    }

    synchronized void open() {
        shut = false;
        notifyAll();
    }

    /** Wakes the waiting, so that they see for themselves whether they are done. */
    synchronized void nudge() {
        notifyAll();
    }

    /** Waits until the valve is open or the other side of the wait is over. */
    synchronized void await(BooleanSupplier isOver) {
        try {
            while (shut && !isOver.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
