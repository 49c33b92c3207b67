// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** Decides what a run leaves open. Called by one thread at a time. */
public interface Choices {

    /** Runs tasks in the order in which they became ready, without interruptions. */
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
     * @return its index; 0 is the one that has been ready for longest
     */
    int next(int ready);

    /**
     * Whether to interrupt the running task, so that other ready tasks run first. Not called if there are none.
     *
     * @param point what it is about to do, or has just done
     */
    boolean preempts(SimulatedProcess process, String point);
}
