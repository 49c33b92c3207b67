// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/**
 * Something in real time outside of a {@link DeterministicScheduler}, such as a server, that will trigger one of its processes. While
 * anything is awaited from it, virtual time stands still and no run ends. Called by one thread at a time.
 */
public interface Outside {

    /** Nothing outside. */
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
     * Whether something is still awaited. What has arrived must be handed to its process before it stops being awaited. Polled every few
     * milliseconds of real time, so it must not block.
     */
    boolean isAwaited();

    /**
     * Called when nothing arrived within the longest step and the run is given up: it is no longer awaited.
     *
     * @return a readable description of what was awaited
     */
    String giveUp();
}
