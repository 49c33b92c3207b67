// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.story.NodeStory.Moved;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * What people have lately moved out of the poison queue or back, through this instance, which forgets it when it stops: it is for stories, and
 * nothing is decided by it. Thread-safe.
 */
public final class MovedCopies {

    static final int MOST = 1_000;

    private final Deque<Moved> latest = new ArrayDeque<>(); // guarded by this

    public synchronized void add(Moved moved) {
        if (latest.size() == MOST) {
            latest.removeFirst();
        }
        latest.addLast(moved);
    }

    /** Those of messages with one of these correlation ids, the earliest first. */
    public synchronized List<Moved> of(Collection<String> correlationIds) {
        return latest.stream()
                .filter(moved -> correlationIds.contains(moved.correlationId()))
                .toList();
    }
}
