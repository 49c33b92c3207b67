// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rows of one correlation that wait in memory, in the order of their ids. An id is given when a message is published, so
 * whatever was committed before another transaction published has the smaller one, whoever learns of its commit first. Not
 * thread-safe.
 */
final class Lane {

    private final String correlationId;
    private final NavigableMap<Long, Waiting> rows = new TreeMap<>();

    private record Waiting(OutboxRow row, long committed) {}

    /**
     * What the table's answer means.
     *
     * @param free to be sent, in this order
     * @param gone with a savepoint, or sent by the relay
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

    /** @param committed when, in nanoseconds of the monotonic clock */
    void add(OutboxRow row, long committed) {
        rows.put(row.id(), new Waiting(row, committed));
    }

    List<OutboxRow> first(int most) {
        return rows.values().stream().limit(most).map(Waiting::row).toList();
    }

    /** Whether rows were added before this one. */
    boolean hasBefore(OutboxRow row) {
        return rows.lowerKey(row.id()) != null;
    }

    /**
     * Removes those of the rows asked for that may be sent, and those that are gone. What is in the table and was not asked for goes
     * first: it is another instance's, or was added after the question.
     *
     * @param asked the first ones at the time of the question
     * @param present the ids of the correlation that are in the table
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

    /** Removes the rows that were committed longer ago. */
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
