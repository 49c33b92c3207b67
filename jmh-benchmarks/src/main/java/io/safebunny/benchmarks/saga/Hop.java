// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

/** One of the saga's messages. */
sealed interface Hop {

    /** Bytes of its JSON, as in the published figures that the ledger is compared with. */
    int BYTES = 1_227;

    int OVERHEAD = 40;

    /** When the saga should have begun, by {@link System#nanoTime()}. */
    long begun();

    static String text() {
        return "x".repeat(BYTES - OVERHEAD);
    }

    /** From the front to the first node. */
    record First(long begun, String text) implements Hop {}

    /** From the first to the second node. */
    record Second(long begun, String text) implements Hop {}

    /** From the second to the third node. */
    record Third(long begun, String text) implements Hop {}

    /** From the third node back to the front. */
    record Done(long begun, String text) implements Hop {}
}
