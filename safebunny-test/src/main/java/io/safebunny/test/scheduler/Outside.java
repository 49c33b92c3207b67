// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/**
 * Something in real time, outside of a {@link DeterministicScheduler}, such as a server, that may trigger one of its processes. While
 * anything is awaited from it, virtual time stands still and no run ends. Called by one thread at a time.
 */
public interface Outside {

    /** No outside world. */
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
     * Whether something is still awaited. Anything that arrives must be handed to its process before it stops being awaited. Polled every
     * few milliseconds of real time, so it must not block.
     */
    boolean isAwaited();

    /**
     * Called when nothing has arrived within the longest step, so that the run is given up. Nothing is awaited any more afterwards.
     *
     * @return a readable description of what was awaited
     */
    String giveUp();
}
