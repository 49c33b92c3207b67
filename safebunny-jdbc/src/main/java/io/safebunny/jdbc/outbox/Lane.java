// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rows of one correlation that wait in memory, in the order of their ids. Ids are assigned on publishing, so a message committed before
 * another one was published has the smaller id, whichever commit is reported first. Not thread-safe.
 */
final class Lane {

    private final String correlationId;
    private final NavigableMap<Long, Waiting> rows = new TreeMap<>();

    State state = State.IDLE;
    /** Number of queries of the table since the last one that allowed a row to be sent. */
    int looks;

    /** What is happening to the lane now. */
    enum State {
        /** Not queued; adding a row makes it ready. */
        IDLE,
        READY,
        /** The table is being queried for its rows, or will be again. */
        WAITING,
        SENDING
    }

    private record Waiting(OutboxRow row, long committed) {}

    /**
     * The rows after the table was queried.
     *
     * @param free rows that may be sent, in this order
     * @param gone rows that the table lacks although their transaction committed
     */
    record Part(List<OutboxRow> free, List<OutboxRow> gone) {}

    Lane(String correlationId) {
        this.correlationId = correlationId;
    }

    String correlationId() {
        return correlationId;
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** @param committed time of the commit, in nanoseconds of the monotonic clock */
    void add(OutboxRow row, long committed) {
        rows.put(row.id(), new Waiting(row, committed));
    }

    List<OutboxRow> first(int most) {
        return rows.values().stream().limit(most).map(Waiting::row).toList();
    }

    /** Whether a row with a smaller id has been added since. */
    boolean hasBefore(OutboxRow row) {
        return rows.lowerKey(row.id()) != null;
    }

    /**
     * Removes and returns the rows that may be sent and those that are gone. A row of the table that was not asked about belongs to another
     * instance or was added later; later rows wait until it is sent.
     *
     * @param asked the first rows of the lane at the time of the query
     * @param present the ids of this correlation that the table holds
     */
    Part take(List<OutboxRow> asked, NavigableSet<Long> present) {
        NavigableSet<Long> strangers = new TreeSet<>(present);
        asked.forEach(row -> strangers.remove(row.id()));
        List<OutboxRow> free = new ArrayList<>();
        List<OutboxRow> gone = new ArrayList<>();
        for (OutboxRow row : asked) {
            if (!present.contains(row.id())) {
                gone.add(row);
            } else if (strangers.isEmpty() || strangers.first() > row.id()) {
                free.add(row);
            } else {
                break;
            }
            rows.remove(row.id());
        }
        return new Part(free, gone);
    }

    /** Removes the rows whose commit is more than {@code nanos} ago. */
    List<OutboxRow> removeOlder(long now, long nanos) {
        List<OutboxRow> removed = new ArrayList<>();
        Iterator<Waiting> all = rows.values().iterator();
        while (all.hasNext()) {
            Waiting next = all.next();
            if (now - next.committed > nanos) {
                removed.add(next.row);
                all.remove();
            }
        }
        return removed;
    }

    List<OutboxRow> removeAll() {
        List<OutboxRow> removed = first(rows.size());
        rows.clear();
        return removed;
    }
}
