// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.saga;

/** What its handler, or who places it, does with an order. */
public enum OrderKind {
    /** Works on it, does a step once, publishes two messages. */
    PLAIN(1),
    /** The same, for longer than the interval in which a lease is renewed. */
    SLOW(1),
    /** Works, does the step, publishes nothing. */
    SILENT(1),
    /** Fails at first, after the step, and goes on as with a plain one when it is retried. */
    FAILS_ONCE(2),
    /** Fails whenever it is tried. */
    FAILS_ALWAYS(2),
    /** Nobody handles it: a transaction of the application places it. */
    PLACED(0),
    /** The same, and many at once in one transaction. */
    PLACED_IN_BULK(0),
    /** The same, and the transaction is rolled back. */
    ROLLED_BACK(0);

    private static final int BULK = 10;

    private final int runs;

    OrderKind(int runs) {
        this.runs = runs;
    }

    /** How often its handler runs when nothing happens to the process. */
    public int runs() {
        return runs;
    }

    public boolean isHandled() {
        return runs > 0;
    }

    /** How many correlations have a part in it. */
    public int correlations() {
        return this == PLACED_IN_BULK ? BULK : 1;
    }

    public boolean isPoisoned() {
        return this == FAILS_ALWAYS;
    }

    public boolean publishes() {
        return this == PLAIN || this == SLOW || this == FAILS_ONCE;
    }
}
