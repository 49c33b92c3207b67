// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.dedup.Dispatch.Target;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Set;

/**
 * Sends what was completed and not dispatched, for messages whose delivery never came back or whose publications were refused,
 * and removes what is expired. Every instance of a node does so; of two that find the same record one goes on.
 * Used by one thread at a time.
 */
final class Sweeper {

    private static final int REMOVED_AT_ONCE = 1_000;
    private static final int MOST_PORTIONS = 50;

    private final MessageStore store;
    private final Timeline timeline;
    private final Duration unchangedFor;
    private final Dispatch dispatch;
    private final Marks marks;
    private final WaitingRecords waiting;
    private final DedupLog log;
    /** Where nobody answered when it was last tried. */
    private volatile Set<Target> silent = Set.of();

    /** @param unchangedFor younger records are left to those who completed them; also how long a round goes on at most */
    Sweeper(
            MessageStore store,
            Timeline timeline,
            Duration unchangedFor,
            Dispatch dispatch,
            Marks marks,
            WaitingRecords waiting,
            DedupLog log) {
        this.store = store;
        this.timeline = timeline;
        this.unchangedFor = unchangedFor;
        this.dispatch = dispatch;
        this.marks = marks;
        this.waiting = waiting;
        this.log = log;
    }

    /** One round, on the calling thread. */
    void sweep() {
        try {
            silent = new SweepRound(store, timeline, unchangedFor, dispatch, marks, log, silent).run();
            waiting.roundEnded();
            removeExpired();
            log.answered();
        } catch (RuntimeException e) {
            log.noAnswer("what was left behind", "it is looked for again later", e);
        }
    }

    private void removeExpired() {
        for (int portion = 0; portion < MOST_PORTIONS; portion++) {
            if (store.removeExpired(REMOVED_AT_ONCE) < REMOVED_AT_ONCE) {
                return;
            }
        }
    }
}
