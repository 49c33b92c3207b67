// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.matrix;

import io.safebunny.crash.saga.OrderKind;

/**
 * What must be true after a scenario.
 *
 * @param minRuns of the handler
 * @param maxRuns of the handler
 * @param maxCharges effects of the one step
 * @param recordEnds whether the record must be in a final state
 * @param declared why more than one effect, or another end than the usual, is right here; empty where it is not
 */
record Expectation(End end, int minRuns, int maxRuns, int maxCharges, boolean recordEnds, String declared) {

    /** What an order comes to when nothing happens. */
    static Expectation of(OrderKind kind) {
        return new Expectation(kind.isPoisoned() ? End.POISONED : End.FINISHED, kind.runs(), kind.runs(), 1, true, "");
    }

    Expectation withRuns(int min, int max) {
        return new Expectation(end, min, max, maxCharges, recordEnds, declared);
    }

    Expectation withTwoCharges(String why) {
        return new Expectation(end, minRuns, maxRuns, 2, recordEnds, why);
    }

    Expectation withEnd(End other, String why) {
        return new Expectation(other, minRuns, maxRuns, maxCharges, false, why);
    }
}
