// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/** How often the contenders of a contest are measured. */
public enum Plan {
    /** In all rounds, after those that warm up. */
    ROUNDS,

    /** In all rounds, without warming up: a contest before has, and nothing is left open between rounds. */
    WARM_ROUNDS,

    /** A single time, because it takes long. */
    ONCE;

    int warmUps(Effort effort) {
        return this == ROUNDS ? effort.warmUps() : 0;
    }

    int rounds(Effort effort) {
        return this == ONCE ? 1 : effort.rounds();
    }
}
