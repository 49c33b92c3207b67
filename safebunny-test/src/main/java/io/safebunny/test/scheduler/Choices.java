// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** What is left open in a run. Asked by one thread at a time. */
public interface Choices {

    /** Everything in the order in which it could begin, and nothing interrupted. */
    Choices IN_ORDER = new Choices() {
        @Override
        public int next(int ready) {
            return 0;
        }

        @Override
        public boolean preempts(SimulatedProcess process, String point) {
            return false;
        }
    };

    /**
     * Which of the tasks that are ready runs next.
     *
     * @param ready how many there are, at least 2
     * @return from 0, the one that has been ready for longest
     */
    int next(int ready);

    /**
     * Whether the running task is interrupted, so that others that are ready go on first. Not asked when there are none.
     *
     * @param point what it is about to do, or has just done
     */
    boolean preempts(SimulatedProcess process, String point);
}
