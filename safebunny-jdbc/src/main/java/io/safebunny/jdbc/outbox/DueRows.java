// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.sql.Connections;
import io.safebunny.time.Timeline;
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
 * Claims rows that nobody has sent. Whoever has a correlation's first row has the correlation: it is claimed, or put off, by moving that
 * row's due time into the future. What is due longest comes first, and nothing that is found stays where it was, so the next rows are
 * others. Used by one thread at a time.
 */
final class DueRows {

    private final Connections connections;
    private final OutboxTable table;
    private final SentRows sentRows;
    private final DirectPath direct;
    private final Destinations destinations;
    private final Timeline timeline;
    private final Duration lease;
    private final Duration interval;

    /**
     * What a batch of rows was.
     *
     * @param runs to be sent
     * @param unreadable claimed, but cannot be read, with the reason
     * @param putOff how many first rows have to wait
     */
    record Batch(List<Run> runs, Map<ClaimedRow, IllegalArgumentException> unreadable, int putOff) {
        static final Batch NONE = new Batch(List.of(), Map.of(), 0);

        boolean isEmpty() {
            return runs.isEmpty() && unreadable.isEmpty() && putOff == 0;
        }
    }

    /**
     * @param lease how long claimed rows are kept from others
     * @param interval how long rows are put off whose correlation is being sent already
     */
    DueRows(
            Connections connections,
            OutboxTable table,
            SentRows sentRows,
            DirectPath direct,
            Destinations destinations,
            Timeline timeline,
            Duration lease,
            Duration interval) {
        this.connections = connections;
        this.table = table;
        this.sentRows = sentRows;
        this.direct = direct;
        this.destinations = destinations;
        this.timeline = timeline;
        this.lease = lease;
        this.interval = interval;
    }

    /** @param ago how long the rows have been due at least, so that a look does not go on with what it has put off */
    Batch take(int most, Duration ago) throws SQLException {
        long now = timeline.nanoTime();
        return connections.together(connection -> take(connection, most, ago, now));
    }

    private Batch take(Connection connection, int most, Duration ago, long now) throws SQLException {
        List<ClaimedRow> locked = table.lockFirst(connection, most, ago);
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
            table.defer(connection, claimed, lease, 0);
        }
        for (Map.Entry<Duration, List<Long>> some : waiting.entrySet()) {
            table.defer(connection, some.getValue(), some.getKey(), 0);
        }
        return new Batch(
                runs.values().stream()
                        .map(rows -> new Run(unconfirmed(rows), now))
                        .toList(),
                unreadable,
                putOff);
    }

    /** {@code null} if it may be sent now. */
    private @Nullable Duration waits(OutboxRow first) {
        if (direct.isSending(first.correlationId())) {
            return interval;
        }
        Route to = first.message().route();
        return sentRows.isConfirmed(first.id()) || destinations.mayTry(to) ? null : destinations.putOff(to);
    }

    /** As far as they may be sent: the next one becomes the first. */
    private void addThoseBehind(Connection connection, Map<String, List<OutboxRow>> runs, int most, Duration ago)
            throws SQLException {
        long first =
                runs.values().stream().mapToLong(rows -> rows.get(0).id()).min().orElseThrow();
        Set<String> ended = new HashSet<>();
        int added = 0;
        for (ClaimedRow row : table.behind(connection, first, runs.keySet(), most + runs.size(), ago)) {
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
            return null; // it is said when it is the first
        }
    }

    /** Without those that are only not deleted yet. */
    private List<OutboxRow> unconfirmed(List<OutboxRow> rows) {
        return rows.stream().filter(row -> !sentRows.isConfirmed(row.id())).toList();
    }
}
