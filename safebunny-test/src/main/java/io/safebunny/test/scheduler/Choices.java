// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** Makes the choices that a run leaves open. Called by one thread at a time. */
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
     * Chooses which of the ready tasks runs next.
     *
     * @param ready number of ready tasks, at least 2
     * @return index of the task; 0 is the one that has been ready the longest
     */
    int next(int ready);

    /**
     * Whether to interrupt the running task, so that other ready tasks run first. Not called if there are no others.
     *
     * @param point what the task is about to do, or has just done
     */
    boolean preempts(SimulatedProcess process, String point);
}
