// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Which messages are tried together next: all; of those whose call has failed each half, until the one that fails is alone. What is left in
 * the end is handled one by one. Confined to one thread.
 */
public final class Halving<T> {

    private final Deque<List<T>> next = new ArrayDeque<>();
    private final int mostInVain;
    private int inVain;
    private int failures;

    public Halving(List<T> all) {
        next.add(all);
        // enough to find two messages that fail, wherever they are; in an outage everything fails, and splitting only
        // repeats the calls
        mostInVain = 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(all.size()));
    }

    public boolean hasNext() {
        return !next.isEmpty();
    }

    /** At least two, but for all. */
    public List<T> next() {
        return next.remove();
    }

    /** To be called when those that came last were handled. */
    public void handled() {
        inVain = 0; // failures go on: many messages that fail cost a call for nearly each of the others
    }

    /**
     * To be called when the call for those that came last has failed.
     *
     * @param undone those for which it was made
     * @return whether their halves are tried; otherwise nothing more is
     */
    public boolean failed(List<T> undone, Throwable why) {
        inVain++;
        failures++;
        if (inVain > mostInVain || failures > 2 * mostInVain || BreakerEffect.of(why) instanceof BreakerEffect.Pause) {
            stop();
            return false;
        }
        int half = undone.size() / 2;
        tryNext(undone.subList(half, undone.size()));
        tryNext(undone.subList(0, half));
        return true;
    }

    private void tryNext(List<T> part) {
        if (part.size() > 1) {
            next.addFirst(part);
        }
    }

    /** To be called if it is no use to try any of them together. */
    public void stop() {
        next.clear();
    }
}
