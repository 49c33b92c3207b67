// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import java.util.List;

/** Claimed rows of one correlation, starting with its first, that are being sent. Thread-safe. */
final class Run {

    private final List<OutboxRow> rows;
    private final long claimed;
    private volatile long moved;

    /** @param claimed time just before the claim, in nanoseconds of the monotonic clock */
    Run(List<OutboxRow> rows, long claimed) {
        this.rows = List.copyOf(rows);
        this.claimed = claimed;
        this.moved = claimed;
    }

    /** The rows, in the order to send them. */
    List<OutboxRow> rows() {
        return rows;
    }

    long claimed() {
        return claimed;
    }

    /** Time at which the sending of its latest message began. */
    long moved() {
        return moved;
    }

    void moves(long now) {
        moved = now;
    }
}
