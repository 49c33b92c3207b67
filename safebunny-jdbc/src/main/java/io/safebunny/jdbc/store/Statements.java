// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.UnreadableRecordException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs the statements of one table on a given connection; each is cancelled after the timeout. */
final class Statements {

    private static final String DUPLICATE_KEY = "23505";

    private final String node;
    private final int timeoutSeconds;
    private final boolean duplicatesFail;
    private final String check;
    private final String insert;
    private final String update;
    private final String find;
    private final String findCompleted;
    private final String findExpired;
    private final String delete;
    private final String deleteExpired;

    Statements(MessageTable table, String node, Duration timeout) {
        this.node = node;
        // rounded up: JDBC takes whole seconds, and 0 would mean no limit
        this.timeoutSeconds = Math.toIntExact(timeout.plusMillis(999).toSeconds());
        this.duplicatesFail = table.database().dialect().unlessPresent().isEmpty();
        this.check = table.check();
        this.insert = table.insert();
        this.update = table.update();
        this.find = table.find();
        this.findCompleted = table.findCompleted();
        this.findExpired = table.findExpired();
        this.delete = table.delete();
        this.deleteExpired = table.deleteExpired();
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
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
    boolean insert(Connection connection, MessageRecord record, Content content) throws SQLException {
        try (PreparedStatement statement = prepare(connection, insert)) {
            RecordRow.bindInsert(statement, node, record, content);
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            if (duplicatesFail && DUPLICATE_KEY.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** Returns whether the row had the preceding version and was updated. */
    boolean update(Connection connection, MessageRecord record, Content content) throws SQLException {
        try (PreparedStatement statement = prepare(connection, update)) {
            RecordRow.bindUpdate(statement, node, record, content);
            return statement.executeUpdate() == 1;
        }
    }

    /** Returns for each record whether it was inserted. */
    boolean[] insertAll(Connection connection, List<MessageRecord> records, List<Content> contents)
            throws SQLException {
        return all(connection, insert, RecordRow::bindInsert, records, contents);
    }

    /** Returns for each record whether its row had the preceding version and was updated. */
    boolean[] updateAll(Connection connection, List<MessageRecord> records, List<Content> contents)
            throws SQLException {
        return all(connection, update, RecordRow::bindUpdate, records, contents);
    }

    @FunctionalInterface
    private interface Binding {
        void bind(PreparedStatement statement, String node, MessageRecord record, Content content) throws SQLException;
    }

    private boolean[] all(
            Connection connection, String sql, Binding binding, List<MessageRecord> records, List<Content> contents)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            for (int i = 0; i < records.size(); i++) {
                binding.bind(statement, node, records.get(i), contents.get(i));
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

    Optional<MessageRecord> find(Connection connection, RecordKey key) throws SQLException {
        try (PreparedStatement statement = prepare(connection, find)) {
            RecordRow.bindKey(statement, 1, node, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(RecordRow.read(key, rows, 1)) : Optional.empty();
            }
        }
    }

    List<MessageRecord> findCompleted(
            Connection connection, Duration unchangedFor, int limit, Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        List<MessageRecord> found = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, findCompleted)) {
            statement.setString(1, node);
            statement.setInt(2, RecordRow.FORMAT);
            statement.setLong(3, unchangedFor.toMillis());
            statement.setInt(4, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    try {
                        found.add(RecordRow.read(new RecordKey(rows.getString(1), rows.getString(2)), rows, 3));
                    } catch (UnreadableRecordException e) {
                        unreadable.accept(e);
                    }
                }
            }
        }
        return found;
    }

    /** In one statement, on PostgreSQL. */
    int deleteExpired(Connection connection, Duration retention, int limit) throws SQLException {
        try (PreparedStatement statement = prepare(connection, deleteExpired)) {
            statement.setString(1, node);
            statement.setLong(2, retention.toMillis());
            statement.setInt(3, limit);
            return statement.executeUpdate();
        }
    }

    /** Finds and then deletes, where one statement cannot skip locked rows. */
    int deleteExpired(Connection connection, RecordState state, Duration retention, int limit) throws SQLException {
        if (limit == 0) {
            return 0;
        }
        try (PreparedStatement find = prepare(connection, findExpired);
                PreparedStatement each = prepare(connection, delete)) {
            find.setString(1, node);
            find.setString(2, state.name());
            find.setLong(3, retention.toMillis());
            find.setInt(4, limit);
            boolean any = false;
            try (ResultSet rows = find.executeQuery()) {
                while (rows.next()) {
                    RecordRow.bindKey(each, 1, node, new RecordKey(rows.getString(1), rows.getString(2)));
                    each.setLong(4, rows.getLong(3));
                    each.addBatch();
                    any = true;
                }
            }
            return any ? sum(each.executeBatch()) : 0;
        }
    }

    private static int sum(int[] counts) {
        int sum = 0;
        for (int count : counts) {
            sum += count == PreparedStatement.SUCCESS_NO_INFO ? 1 : count;
        }
        return sum;
    }
}
