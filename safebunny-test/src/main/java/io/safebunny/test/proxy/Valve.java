// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.util.function.BooleanSupplier;

/** Holds back the bytes of all connections while it is shut; thread-safe. */
final class Valve {

    private boolean shut;

    synchronized void shut() {
        shut = true;
    }

    synchronized void open() {
        shut = false;
        notifyAll();
    }

    /** Wakes all waiting threads to check their condition again. */
    synchronized void nudge() {
        notifyAll();
    }

    /** Waits until the valve opens or the given condition ends the wait. */
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
