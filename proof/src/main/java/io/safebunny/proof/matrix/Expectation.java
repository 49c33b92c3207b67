// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.saga.OrderKind;

/**
 * What must be true after a scenario. Immutable.
 *
 * @param minRuns minimum runs of the handler
 * @param maxRuns maximum runs of the handler
 * @param maxCharges maximum effects of the one step
 * @param recordEnds whether the record must be in a final state
 * @param moreAttempts attempts that may be counted in addition to those that this kind of order makes
 * @param declared why several effects, an unusual end or record, or more attempts are right here; empty where they are not
 */
record Expectation(
        End end, int minRuns, int maxRuns, int maxCharges, boolean recordEnds, int moreAttempts, String declared) {

    /** What is expected of an order when no fault happens. */
    static Expectation of(OrderKind kind) {
        return new Expectation(
                kind.isPoisoned() ? End.POISONED : End.FINISHED, kind.runs(), kind.runs(), 1, true, 0, "");
    }

    Expectation withRuns(int min, int max) {
        return new Expectation(end, min, max, maxCharges, recordEnds, moreAttempts, declared);
    }

    Expectation withTwoCharges(String why) {
        return new Expectation(end, minRuns, maxRuns, 2, recordEnds, moreAttempts, why);
    }

    Expectation withEnd(End other, String why) {
        return new Expectation(other, minRuns, maxRuns, maxCharges, false, moreAttempts, why);
    }

    Expectation withUnfinishedRecord(String why) {
        return new Expectation(end, minRuns, maxRuns, maxCharges, false, moreAttempts, why);
    }

    Expectation withAnotherAttempt(String why) {
        return new Expectation(end, minRuns, maxRuns, maxCharges, recordEnds, 1, why);
    }
}
