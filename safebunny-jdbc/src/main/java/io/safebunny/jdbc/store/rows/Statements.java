// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.jdbc.search.Searches;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.store.JointWrite;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the statements of one table on a given connection; each is cancelled after the timeout. */
public final class Statements {

    private static final String DUPLICATE_KEY = "23505";

    /** Number of records that a search reads at a time, each of which may be large. */
    private static final int PORTION = 20;

    private final RecordTable table;
    private final RecordRow row;
    private final Failures failures;
    private final String node;
    private final int timeoutSeconds;
    private final boolean duplicatesFail;
    private final String check;
    private final String insert;
    private final String update;
    private final String updateUnended;
    private final String find;
    private final String findAndLock;
    private final String findCompleted;

    Statements(RecordTable table, String node, Duration timeout) {
        this.table = table;
        this.row = new RecordRow(table.isListed());
        this.failures = new Failures(table.name());
        this.node = node;
        this.timeoutSeconds = Math.toIntExact(seconds(timeout));
        this.duplicatesFail = dialect().unlessPresent().isEmpty();
        this.check = table.check();
        this.insert = table.insert();
        this.update = table.update();
        this.updateUnended = table.isListed() ? table.updateUnended() : update;
        this.find = table.find();
        this.findAndLock = table.findAndLock();
        this.findCompleted = table.findCompleted();
    }

    RecordTable table() {
        return table;
    }

    Dialect dialect() {
        return table.database().dialect();
    }

    /** Creates the exceptions for failures of this table. */
    RecordRow row() {
        return row;
    }

    public Failures failures() {
        return failures;
    }

    PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setQueryTimeout(timeoutSeconds);
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    void check(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepare(connection, check)) {
            statement.executeQuery().close();
        }
    }

    /** Returns whether the record was inserted; {@code false} if it already existed. */
    public boolean insert(Connection connection, Write write) throws SQLException {
        PacketLimit.require(dialect(), connection, write);
        try (PreparedStatement statement = prepare(connection, insert)) {
            int unused = row.bindInsert(statement, 1, node, write);
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            if (duplicatesFail && DUPLICATE_KEY.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** Returns whether the row had the preceding version and was updated. */
    public boolean update(Connection connection, Write write) throws SQLException {
        PacketLimit.require(dialect(), connection, write);
        try (PreparedStatement statement = prepare(connection, updateOf(write))) {
            int unused = row.bindUpdate(statement, 1, node, write);
            return statement.executeUpdate() == 1;
        }
    }

    /** The insert for a first version, the update for later ones. */
    String sqlOf(Write write) {
        return JointWrite.isCreated(write.record()) ? insert : updateOf(write);
    }

    /** Binds the parameters of {@link #sqlOf}; returns the number of the parameter after them. */
    int bind(PreparedStatement statement, int first, Write write) throws SQLException {
        return JointWrite.isCreated(write.record())
                ? row.bindInsert(statement, first, node, write)
                : row.bindUpdate(statement, first, node, write);
    }

    private String updateOf(Write write) {
        return write.record().state().isFinal() ? update : updateUnended;
    }

    /** Inserts all in one statement, for PostgreSQL; returns the keys of those that were missing. */
    public Set<RecordKey> insertNew(Connection connection, List<Write> writes) throws SQLException {
        try (PreparedStatement statement = prepare(connection, table.insertNew(writes.size()))) {
            // short, because one row that another delivery has locked would hold
            // up all of them, while the others could be handled on their own
            statement.setQueryTimeout(1);
            int next = 1;
            for (Write write : writes) {
                next = row.bindInsert(statement, next, node, write);
            }
            Set<RecordKey> inserted = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    inserted.add(new RecordKey(rows.getString(1), rows.getString(2)));
                }
            }
            return inserted;
        }
    }

    /** Returns for each record whether it was inserted. */
    public boolean[] insertAll(Connection connection, List<Write> writes) throws SQLException {
        return all(connection, insert, row::bindInsert, writes);
    }

    /** Returns for each record whether its row had the preceding version and was updated. */
    public boolean[] updateAll(Connection connection, List<Write> writes) throws SQLException {
        return all(connection, update, row::bindUpdate, writes);
    }

    @FunctionalInterface
    private interface Binding {
        int bind(PreparedStatement statement, int first, String node, Write write) throws SQLException;
    }

    private boolean[] all(Connection connection, String sql, Binding binding, List<Write> writes) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            for (Write write : writes) {
                int unused = binding.bind(statement, 1, node, write);
                statement.addBatch();
            }
            int[] counts = statement.executeBatch();
            boolean[] done = new boolean[counts.length];
            for (int i = 0; i < counts.length; i++) {
                done[i] = counts[i] == 1;
            }
            return done;
        }
    }

    public Optional<MessageRecord> find(Connection connection, RecordKey key) throws SQLException {
        return find(connection, find, key);
    }

    /** Finds the record and locks its row until the transaction ends. */
    public Optional<MessageRecord> findAndLock(Connection connection, RecordKey key) throws SQLException {
        return find(connection, findAndLock, key);
    }

    private Optional<MessageRecord> find(Connection connection, String sql, RecordKey key) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            RecordRow.bindKey(statement, 1, node, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(row.read(key, rows, 1)) : Optional.empty();
            }
        }
    }

    public List<MessageRecord> findCompleted(
            Connection connection, Duration unchangedFor, int limit, Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, findCompleted)) {
            statement.setString(1, node);
            statement.setInt(2, RecordRow.FORMAT);
            statement.setLong(3, unchangedFor.toMillis());
            statement.setInt(4, limit);
            return found(statement, unreadable);
        }
    }

    /** Adds to what is found, in small portions: until there are so many, or they {@linkplain DatedRecord#holdMuch hold much}. */
    public void findCorrelated(
            Connection connection,
            String correlationId,
            int limit,
            List<DatedRecord> found,
            Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, table.findCorrelated())) {
            statement.setString(1, node);
            statement.setInt(2, RecordRow.FORMAT);
            statement.setString(3, correlationId);
            String last = "";
            while (last != null && found.size() < limit && !DatedRecord.holdMuch(found)) {
                int portion = Math.min(PORTION, limit - found.size());
                statement.setString(4, last);
                statement.setInt(5, portion);
                last = addTo(found, statement, portion, unreadable);
            }
        }
    }

    /** @return the last message id of the portion; {@code null} if there are no more */
    private @Nullable String addTo(
            List<DatedRecord> found,
            PreparedStatement statement,
            int portion,
            Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        String last = null;
        int count = 0;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                count++;
                last = rows.getString(2);
                try {
                    RecordKey key = new RecordKey(rows.getString(1), last);
                    found.add(new DatedRecord(row.read(key, rows, 4), Instant.ofEpochMilli(rows.getLong(3))));
                } catch (UnreadableRecordException e) {
                    unreadable.accept(e);
                }
            }
        }
        return count < portion ? null : last;
    }

    /** @param atMost how long the database may take, unless the timeout is shorter */
    public List<String> findCorrelationIds(Connection connection, String messageId, int limit, Duration atMost)
            throws SQLException {
        return Searches.correlationIds(
                connection,
                table.findCorrelationIds(),
                node,
                messageId,
                limit,
                Searches.seconds(atMost, timeoutSeconds));
    }

    /** Rounded up: JDBC takes whole seconds, and 0 would mean no limit. */
    private static long seconds(Duration timeout) {
        return Math.max(1, timeout.plusMillis(999).toSeconds());
    }

    /** Runs a query whose columns are the key without the node, and those of the table. */
    List<MessageRecord> found(PreparedStatement query, Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        List<MessageRecord> found = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                try {
                    found.add(row.read(new RecordKey(rows.getString(1), rows.getString(2)), rows, 3));
                } catch (UnreadableRecordException e) {
                    unreadable.accept(e);
                }
            }
        }
        return found;
    }
}
