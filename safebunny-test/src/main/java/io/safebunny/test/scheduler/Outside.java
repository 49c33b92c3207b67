// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/**
 * What happens in real time outside of a {@link DeterministicScheduler}, a server perhaps, and will make one of its processes go on. While
 * anything is awaited from there, no virtual time passes and no run ends. Asked by one thread at a time.
 */
public interface Outside {

    /** There is nothing outside. */
    Outside NOTHING = new Outside() {
        @Override
        public boolean isAwaited() {
            return false;
        }

        @Override
        public String giveUp() {
            return "nothing";
        }
    };

    /**
     * Whether something is still to come. What is no longer awaited because it has come must have been given to its process before. Asked
     * again and again, every few milliseconds of real time, so it may ask somebody who answers at once, but not wait.
     */
    boolean isAwaited();

    /**
     * It has not come within the longest step, and the run is given up: from now on it is not awaited any more.
     *
     * @return what it was, for people
     */
    String giveUp();
}
