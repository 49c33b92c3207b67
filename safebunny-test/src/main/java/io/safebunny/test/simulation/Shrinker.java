// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Leaves out of a schedule what is not needed for its violation. */
final class Shrinker {

    private static final int MOST_RUNS = 500;

    private final Function<Schedule, @Nullable Violation> run;
    private int runs;

    Shrinker(Function<Schedule, @Nullable Violation> run) {
        this.run = run;
    }

    Schedule shrink(Schedule schedule, Violation violation) {
        Schedule shortest = schedule;
        boolean shorter = true;
        while (shorter) {
            shorter = false;
            for (int i = shortest.events().size() - 1; i >= 0 && runs < MOST_RUNS; i--) {
                Schedule candidate = shortest.without(i);
                if (violates(candidate, violation)) {
                    shortest = candidate;
                    shorter = true;
                }
            }
        }
        return shortest;
    }

    private boolean violates(Schedule candidate, Violation violation) {
        runs++;
        Violation found = run.apply(candidate);
        return found != null && found.invariant().equals(violation.invariant());
    }
}
