// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import java.util.List;

/** Claimed rows of one correlation, from its first on, on their way to the broker. Thread-safe. */
final class Run {

    private final List<OutboxRow> rows;
    private final long claimed;
    private volatile long moved;

    /** @param claimed when they were claimed, at the latest, in nanoseconds of the monotonic clock */
    Run(List<OutboxRow> rows, long claimed) {
        this.rows = List.copyOf(rows);
        this.claimed = claimed;
        this.moved = claimed;
    }

    /** To be sent, in this order. */
    List<OutboxRow> rows() {
        return rows;
    }

    long claimed() {
        return claimed;
    }

    /** When the last of its messages began to be sent. */
    long moved() {
        return moved;
    }

    void moves(long now) {
        moved = now;
    }
}
