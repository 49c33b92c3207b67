// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

/**
 * Which messages that wait in a queue are handled together. Immutable.
 *
 * @param most how many at most; 1 for none, unless it is a batch
 * @param isBatch whether one call of the handler takes all of them
 */
public record Grouping(int most, boolean isBatch) {

    /** Each message on its own. */
    public static final Grouping NONE = new Grouping(1, false);

    /** Each with a call of its own, in one transaction. */
    public static Grouping inTransaction(int most) {
        return new Grouping(most, false);
    }

    /** All in one call: {@link HandlerInvoker#invokeBatch}. */
    public static Grouping inBatch(int most) {
        return new Grouping(most, true);
    }
}
