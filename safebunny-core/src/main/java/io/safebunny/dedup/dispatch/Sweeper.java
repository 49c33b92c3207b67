// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.dispatch;

import io.safebunny.dedup.dispatch.Dispatch.Target;
import io.safebunny.node.Node;
import io.safebunny.store.MessageStore;
import java.util.Set;

/**
 * Sends the publications of completed messages that were not dispatched, because the delivery never came back or the broker
 * refused them, and removes expired records. Every instance of a node sweeps; if two find the same record, only one goes on with
 * it. Used by one thread at a time.
 */
final class Sweeper {

    private static final int REMOVED_AT_ONCE = 1_000;
    private static final int MOST_PORTIONS = 50;

    private final Node node;
    private final MessageStore store;
    private final Dispatch dispatch;
    private final Marks marks;
    private final WaitingRecords waiting;
    private final DedupLog log;
    /** Targets that did not confirm when last tried. */
    private volatile Set<Target> silent = Set.of();

    Sweeper(Node node, Dispatch dispatch, Marks marks, WaitingRecords waiting, DedupLog log) {
        this.node = node;
        this.store = node.requireStore();
        this.dispatch = dispatch;
        this.marks = marks;
        this.waiting = waiting;
        this.log = log;
    }

    /** Runs one round on the calling thread. */
    void sweep() {
        try {
            silent = new SweepRound(node, dispatch, marks, log, silent).run();
            waiting.roundEnded();
            removeExpired();
            log.answered();
        } catch (RuntimeException e) {
            log.noAnswer("undispatched records", "the sweeper looks again later", e);
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
