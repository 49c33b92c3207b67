// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.middleware.PublishOutcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows that the table lacks although their transaction committed. They are looked up once more and then reported, as this process will not
 * send them. Thread-safe.
 */
final class MissingRows {

    private static final Logger LOG = LoggerFactory.getLogger(MissingRows.class);

    private static final String UNASKED = "The outbox could not be queried for missing rows";

    static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final OutboxContext outbox;
    private final Map<Long, OutboxRow> unseen = new HashMap<>();
    private volatile Runnable leftToRelay = () -> {};
    private boolean stopped;

    MissingRows(OutboxContext outbox) {
        this.outbox = outbox;
    }

    /** @param newLeftToRelay called when missing rows turned up after all; must not block */
    void start(Runnable newLeftToRelay) {
        leftToRelay = newLeftToRelay;
    }

    /** Does not block. */
    void add(List<OutboxRow> rows) {
        if (rows.isEmpty()) {
            return;
        }
        if (isToBeLookedUp(rows)) {
            lookLater(rows);
        } else {
            rows.forEach(this::report);
        }
    }

    private synchronized boolean isToBeLookedUp(List<OutboxRow> rows) {
        if (!stopped) {
            rows.forEach(row -> unseen.put(row.id(), row));
        }
        return !stopped;
    }

    private void lookLater(List<OutboxRow> rows) {
        outbox.timeline().schedule(LOOK_AGAIN, () -> outbox.blocking().execute(() -> look(rows)));
    }

    private void look(List<OutboxRow> rows) {
        Map<String, NavigableSet<Long>> present;
        try {
            present = outbox.present(rows);
            outbox.log().databaseAnswers(UNASKED);
        } catch (SQLException | RuntimeException | Error e) { // pools and drivers throw all of these
            outbox.log().noDatabase(UNASKED, e);
            lookLater(rows);
            return;
        }
        for (OutboxRow row : rows) {
            boolean isThere =
                    present.getOrDefault(row.correlationId(), new TreeSet<>()).contains(row.id());
            if (!isPending(row)) {
                continue; // already reported by stop()
            }
            if (isThere) {
                row.ended(PublishOutcome.STORED, null);
                leftToRelay.run();
            } else {
                report(row);
            }
        }
    }

    /** Removes the row; returns true only the first time. */
    private synchronized boolean isPending(OutboxRow row) {
        return unseen.remove(row.id()) != null;
    }

    private void report(OutboxRow row) {
        outbox.metrics().missing();
        row.ended(PublishOutcome.DROPPED, null);
        outbox.log()
                .missing(
                        row.messageId(),
                        () -> LOG.warn(
                                "Message {} was stored in the outbox by a committed transaction, but table {} does not hold it [id={},"
                                        + " correlation={}]: SafeBunny will not send it, unless a relay already has. Its row was deleted, or rolled back to"
                                        + " a savepoint that Spring does not know, or the DataSource leads to several databases and the row is in one that no"
                                        + " relay reads. See docs/outbox.md",
                                row.messageId(),
                                outbox.table().name(),
                                row.id(),
                                row.correlationId()));
    }

    /** Reports all rows that were not looked up yet, and from then on reports added rows at once. */
    void stop() {
        List<OutboxRow> left;
        synchronized (this) {
            stopped = true;
            left = List.copyOf(unseen.values());
            unseen.clear();
        }
        left.forEach(this::report);
    }
}
