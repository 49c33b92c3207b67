// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.outbox.rows.ClaimedRow;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.transport.Route;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Claims rows that were not sent in time. Claiming the first row of a correlation claims the whole correlation. A row is claimed or
 * deferred by moving its due time into the future, and those due longest come first, so the next query finds other rows. For one thread at
 * a time.
 */
final class DueRows {

    private final OutboxContext outbox;
    private final SentRows sentRows;
    private final DirectPath direct;
    private final Destinations destinations;
    private final Duration lease;

    /**
     * A batch of claimed rows.
     *
     * @param runs to be sent
     * @param unreadable rows that were claimed but cannot be read, with the reason
     * @param putOff number of first rows that were deferred
     */
    record Batch(List<Run> runs, Map<ClaimedRow, IllegalArgumentException> unreadable, int putOff) {
        static final Batch NONE = new Batch(List.of(), Map.of(), 0);

        boolean isEmpty() {
            return runs.isEmpty() && unreadable.isEmpty() && putOff == 0;
        }
    }

    /** @param lease how long claimed rows are invisible to other relays */
    DueRows(OutboxContext outbox, SentRows sentRows, DirectPath direct, Destinations destinations, Duration lease) {
        this.outbox = outbox;
        this.sentRows = sentRows;
        this.direct = direct;
        this.destinations = destinations;
        this.lease = lease;
    }

    /** @param ago minimum time the rows have been due, so that one pass does not take rows it has deferred itself */
    Batch take(int most, Duration ago) throws SQLException {
        long now = outbox.timeline().nanoTime();
        return outbox.connections().together(connection -> take(connection, most, ago, now));
    }

    private Batch take(Connection connection, int most, Duration ago, long now) throws SQLException {
        List<ClaimedRow> locked = outbox.table().lockFirst(connection, most, ago);
        if (locked.isEmpty()) {
            return Batch.NONE;
        }
        Map<String, List<OutboxRow>> runs = new LinkedHashMap<>();
        Map<ClaimedRow, IllegalArgumentException> unreadable = new LinkedHashMap<>();
        List<Long> claimed = new ArrayList<>();
        Map<Duration, List<Long>> waiting = new TreeMap<>();
        int putOff = 0;
        for (ClaimedRow row : locked) {
            try {
                OutboxRow first = row.read();
                Duration wait = waits(first);
                if (wait != null) {
                    waiting.computeIfAbsent(wait, some -> new ArrayList<>()).add(row.id());
                    putOff++;
                    continue;
                }
                runs.put(row.correlationId(), new ArrayList<>(List.of(first)));
            } catch (IllegalArgumentException e) {
                unreadable.put(row, e);
            }
            claimed.add(row.id());
        }
        int room = most - runs.size();
        if (room > 0 && !runs.isEmpty()) {
            addThoseBehind(connection, runs, room, ago);
        }
        if (!claimed.isEmpty()) {
            outbox.table().defer(connection, claimed, lease, 0);
        }
        for (Map.Entry<Duration, List<Long>> some : waiting.entrySet()) {
            outbox.table().defer(connection, some.getValue(), some.getKey(), 0);
        }
        return new Batch(
                runs.values().stream()
                        .map(rows -> new Run(unconfirmed(rows), now))
                        .toList(),
                unreadable,
                putOff);
    }

    /** How long to defer the row; {@code null} if it may be sent now. */
    private @Nullable Duration waits(OutboxRow first) {
        if (direct.isSending(first.correlationId())) {
            return outbox.options().relayInterval();
        }
        Route to = first.message().route();
        return sentRows.isConfirmed(first.id()) || destinations.mayTry(to) ? null : destinations.putOff(to);
    }

    /**
     * Adds the rows that follow in each correlation, up to the first that may not be sent. That row will later be the first of its
     * correlation.
     */
    private void addThoseBehind(Connection connection, Map<String, List<OutboxRow>> runs, int most, Duration ago)
            throws SQLException {
        long first =
                runs.values().stream().mapToLong(rows -> rows.get(0).id()).min().orElseThrow();
        Set<String> ended = new HashSet<>();
        int added = 0;
        for (ClaimedRow row : outbox.table().behind(connection, first, runs.keySet(), most + runs.size(), ago)) {
            List<OutboxRow> run = runs.get(row.correlationId());
            if (run == null || run.get(0).id() >= row.id() || ended.contains(row.correlationId())) {
                continue;
            }
            OutboxRow next = next(row);
            if (next == null || added == most) {
                ended.add(row.correlationId());
            } else {
                run.add(next);
                added++;
            }
        }
    }

    private @Nullable OutboxRow next(ClaimedRow row) {
        try {
            OutboxRow next = row.isDue() ? row.read() : null;
            return next == null || destinations.isInTrouble(next.message().route()) ? null : next;
        } catch (IllegalArgumentException e) {
            return null; // reported when it has become the first row of its correlation
        }
    }

    /** The rows without those that are confirmed but not deleted yet. */
    private List<OutboxRow> unconfirmed(List<OutboxRow> rows) {
        return rows.stream().filter(row -> !sentRows.isConfirmed(row.id())).toList();
    }
}
