// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.Printable;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages one transaction stored. Bound to the transaction's thread with the outbox as key, and unbound while the
 * transaction is suspended. Used by that thread only.
 */
final class StoredInTransaction implements TransactionSynchronization {

    private static final Logger LOG = LoggerFactory.getLogger(StoredInTransaction.class);

    private static final int AT_ONCE = 1_000;

    private final Object key;
    private final OutboxTable table;
    private final Connections connections;
    private final Timeline timeline;
    private final Duration relayAfter;
    private final Consumer<List<OutboxRow>> committed;
    private final List<OutboxRow> rows = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    /** Not held, and somebody waits to hear what becomes of them; by their ids. */
    private final Map<Long, OutboundMessage> watched = new HashMap<>();
    /** How many ids there were at each savepoint. */
    private final Map<Object, Integer> savepoints = new HashMap<>();

    private final long begun;
    private long bytes;
    private boolean handedOver;
    private boolean closing;
    /** Stored when the transaction was about to end or had ended: not part of its commit, as far as is known. */
    private final List<OutboxRow> late = new ArrayList<>();

    private @Nullable RuntimeException failure;

    /** @param committed takes the rows after the commit, without those that Spring rolled back to a savepoint */
    StoredInTransaction(
            Object key,
            OutboxTable table,
            Connections connections,
            Timeline timeline,
            Duration relayAfter,
            Consumer<List<OutboxRow>> committed) {
        this.key = key;
        this.table = table;
        this.connections = connections;
        this.timeline = timeline;
        this.relayAfter = relayAfter;
        this.committed = committed;
        this.begun = timeline.nanoTime();
    }

    void bind() {
        TransactionSynchronizationManager.bindResource(key, this);
    }

    /** Inserts at once rather than just before the commit, so that a rollback to a savepoint takes the message with it. */
    void store(OutboundMessage message) throws SQLException {
        OutboxRow row = connections.once(connection -> table.insert(connection, message, relayAfter));
        ids.add(row.id());
        if (closing) {
            late.add(row);
        } else if (rows.size() < DirectPath.MOST_HELD && bytes < DirectPath.MOST_BYTES) {
            rows.add(row); // the relay finds the rest
            bytes += row.bytes();
        } else if (message.watcher() != null) {
            watched.put(row.id(), message);
        }
    }

    /** The transaction must not be committed without the message, whatever the caller makes of the exception. */
    void failed(RuntimeException cause) {
        failure = cause;
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, ids.size());
    }

    /** One that is not known is older than the first message. */
    @Override
    public void savepointRollback(Object savepoint) {
        int kept = savepoints.getOrDefault(savepoint, 0);
        Set<Long> undone = Set.copyOf(ids.subList(kept, ids.size()));
        ids.subList(kept, ids.size()).clear();
        rows.removeIf(row -> {
            boolean dropped = undone.contains(row.id());
            if (dropped) {
                row.ended(PublishOutcome.DROPPED, null);
            }
            return dropped;
        });
        undone.forEach(id -> {
            OutboundMessage dropped = watched.remove(id);
            if (dropped != null) {
                dropped.ended(PublishOutcome.DROPPED, null);
            }
        });
        bytes = rows.stream().mapToLong(OutboxRow::bytes).sum();
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResource(key);
    }

    @Override
    public void resume() {
        bind();
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (failure != null) {
            throw failure;
        }
        if (timeline.nanoTime() - begun > relayAfter.toNanos() / 4) {
            putOff();
        }
    }

    /** The rows of a long transaction would be due, to every relay, the moment they become visible. */
    private void putOff() {
        try {
            for (int from = 0; from < ids.size(); from += AT_ONCE) {
                List<Long> some = ids.subList(from, Math.min(ids.size(), from + AT_ONCE));
                connections.once(connection -> {
                    table.defer(connection, some, relayAfter, 0);
                    return true;
                });
            }
        } catch (SQLException e) {
            throw new Failures(table.name())
                    .translateStoring("The outbox could not be written to before the commit", e);
        }
    }

    /** From now on the transaction still looks open, but what is stored is no longer part of its commit. */
    @Override
    public void beforeCompletion() {
        closing = true;
    }

    @Override
    public void afterCommit() {
        handOver(rows);
        handedOver = true;
    }

    private void handOver(List<OutboxRow> some) {
        List<OutboxRow> all = List.copyOf(some);
        some.clear();
        committed.accept(all);
    }

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(key);
        boolean isCommitted = status == STATUS_COMMITTED;
        if (!closing) { // nothing was stored before the transaction had ended
            late.addAll(rows);
            rows.clear();
        } else if (isCommitted && !handedOver) {
            handOver(rows); // another's afterCommit threw
        }
        if (isCommitted && !late.isEmpty()) {
            commitLate();
        }
        // of what is still here; if nobody knows, the relay finds it, if it is there
        PublishOutcome outcome = status == STATUS_ROLLED_BACK ? PublishOutcome.DROPPED : PublishOutcome.STORED;
        rows.forEach(row -> row.ended(outcome, failure));
        watched.values().forEach(message -> message.ended(outcome, failure));
        late.forEach(row -> row.ended(isCommitted ? PublishOutcome.DROPPED : outcome, failure));
    }

    /**
     * Commits rows published in another synchronization's {@code afterCommit}, when the transaction was over but still looked
     * open: nobody else would commit them.
     */
    private void commitLate() {
        try {
            connections.once(connection -> {
                if (!connection.getAutoCommit()) { // otherwise the commit itself published, by a flush
                    connection.commit();
                }
                return true;
            });
            handOver(late);
        } catch (SQLException e) {
            failure = new Failures(table.name())
                    .translateStoring("The outbox could not be written to after the commit", e);
            LOG.error(
                    "Messages published after the commit of their transaction are lost [count={}]. Publish them before the commit.",
                    late.size(),
                    Printable.inLines(e));
        }
    }
}
