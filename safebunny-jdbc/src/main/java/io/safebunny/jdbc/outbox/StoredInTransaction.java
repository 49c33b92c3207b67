// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.failure.details.Printable;
import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.sql.SQLException;
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
    private final OutboxContext outbox;
    private final Connections connections;
    private final Consumer<List<OutboxRow>> committed;
    private final List<OutboxRow> rows = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    /** Messages beyond the memory bound whose outcome somebody waits for, by row id. */
    private final Map<Long, OutboundMessage> watched = new HashMap<>();
    /** Number of {@link #ids} at each savepoint. */
    private final Map<Object, Integer> savepoints = new HashMap<>();

    private final long begun;
    private long bytes;
    private boolean handedOver;
    private boolean closing;
    /** Rows stored while the transaction was completing or over; probably not part of its commit. */
    private final List<OutboxRow> late = new ArrayList<>();

    private @Nullable RuntimeException failure;

    /**
     * @param connections runs statements on the transaction's connection
     * @param committed receives the rows after the commit, without those rolled back to a savepoint
     */
    StoredInTransaction(
            Object key, OutboxContext outbox, Connections connections, Consumer<List<OutboxRow>> committed) {
        this.key = key;
        this.outbox = outbox;
        this.connections = connections;
        this.committed = committed;
        this.begun = outbox.timeline().nanoTime();
    }

    void bind() {
        TransactionSynchronizationManager.bindResource(key, this);
    }

    /** Inserts at once rather than just before the commit, so that a rollback to a savepoint includes the message. */
    void store(OutboundMessage message) throws SQLException {
        OutboxRow row = connections.once(connection ->
                outbox.table().insert(connection, message, outbox.options().relayAfter()));
        ids.add(row.id());
        if (closing) {
            late.add(row);
        } else if (rows.size() < Lanes.MOST_HELD && bytes < Lanes.MOST_BYTES) {
            rows.add(row); // rows beyond the bound are left to the relay
            bytes += row.bytes();
        } else if (message.watcher() != null) {
            watched.put(row.id(), message);
        }
    }

    /** Makes the commit fail, even if the caller swallows the exception: the message would be missing. */
    void failed(RuntimeException cause) {
        failure = cause;
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, ids.size());
    }

    /** A savepoint that is not known here is older than the first message. */
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
        if (outbox.timeline().nanoTime() - begun > outbox.options().relayAfter().toNanos() / 4) {
            putOff();
        }
    }

    /**
     * Postpones the due times at the end of a long transaction: otherwise every relay would find the rows due as soon as they are visible.
     */
    private void putOff() {
        try {
            for (int from = 0; from < ids.size(); from += AT_ONCE) {
                List<Long> some = ids.subList(from, Math.min(ids.size(), from + AT_ONCE));
                connections.once(connection -> {
                    outbox.table().defer(connection, some, outbox.options().relayAfter(), 0);
                    return true;
                });
            }
        } catch (SQLException e) {
            throw new Failures(outbox.table().name())
                    .translateStoring("The outbox could not be written to before the commit", e);
        }
    }

    /** From here on the transaction still looks open, but further writes are not part of its commit. */
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
        if (!closing) { // registered after the transaction's end: all rows are late
            late.addAll(rows);
            rows.clear();
        } else if (isCommitted && !handedOver) {
            handOver(rows); // another synchronization's afterCommit threw, so ours was not called
        }
        if (isCommitted && !late.isEmpty()) {
            commitLate();
        }
        // the outcome of the remaining rows; if the transaction's end
        // is unknown, the relay sends the rows that were committed
        PublishOutcome outcome = status == STATUS_ROLLED_BACK ? PublishOutcome.DROPPED : PublishOutcome.STORED;
        rows.forEach(row -> row.ended(outcome, failure));
        watched.values().forEach(message -> message.ended(outcome, failure));
        late.forEach(row -> row.ended(isCommitted ? PublishOutcome.DROPPED : outcome, failure));
    }

    /**
     * Commits rows published in another synchronization's {@code afterCommit}: the transaction was over but still looked open, and nothing
     * else would commit them.
     */
    private void commitLate() {
        try {
            connections.once(connection -> {
                if (!connection.getAutoCommit()) { // with auto-commit: a flush during the commit published them
                    connection.commit();
                }
                return true;
            });
            handOver(late);
        } catch (SQLException e) {
            failure = new Failures(outbox.table().name())
                    .translateStoring("The outbox could not be written to after the commit", e);
            LOG.error(
                    "Messages published after the commit of their transaction are lost [count={}]. Publish them before the commit.",
                    late.size(),
                    Printable.inLines(e));
        }
    }
}
