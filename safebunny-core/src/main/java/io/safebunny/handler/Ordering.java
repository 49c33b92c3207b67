// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

/** How the messages of a handler that have one order key are kept in order. */
public enum Ordering {
    /** Not at all: each is handled when it comes. */
    NONE,
    /** Each waits until those before it have ended, and for a decision if one of them was set aside. */
    HOLD,
    /** Each waits until those before it have ended. One that was set aside has. */
    SKIP;

    public boolean isOrdered() {
        return this != NONE;
    }
}
