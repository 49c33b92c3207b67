// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.store.Retention;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Deletes the expired rows of one table, on a given connection; skips locked rows if the database supports that. */
public final class ExpiredRows {

    private final Statements table;
    private final String node;
    private final Retention retention;
    private final String find;
    private final String delete;
    private final ExpiredInOrder handled;
    private final ExpiredInOrder poisoned;

    public ExpiredRows(Statements table, String node, Retention retention) {
        this.table = table;
        this.node = node;
        this.retention = retention;
        this.find = table.table().findExpired();
        this.delete = table.table().delete();
        this.handled = new ExpiredInOrder(
                table, node, state -> state.isFinal() && state != RecordState.POISONED, retention.handled());
        this.poisoned = new ExpiredInOrder(table, node, state -> state == RecordState.POISONED, retention.poisoned());
    }

    /** Creates the exceptions for failures of this table. */
    public Failures failures() {
        return table.failures();
    }

    /**
     * @param limit maximum number of rows to delete
     * @return number of rows deleted
     */
    public int delete(Connection connection, int limit) throws SQLException {
        if (table.dialect() == Dialect.POSTGRESQL) {
            int deleted = handled.delete(connection, limit);
            return deleted < limit ? deleted + poisoned.delete(connection, limit - deleted) : deleted;
        }
        int deleted = 0;
        for (RecordState state : RecordState.values()) {
            if (state.isFinal()) {
                deleted += findAndDelete(connection, state, limit - deleted);
            }
        }
        return deleted;
    }

    /** Finds the rows first, then deletes them: for databases whose delete cannot skip locked rows. */
    private int findAndDelete(Connection connection, RecordState state, int limit) throws SQLException {
        if (limit == 0) {
            return 0;
        }
        try (PreparedStatement expired = table.prepare(connection, find);
                PreparedStatement each = table.prepare(connection, delete)) {
            expired.setString(1, node);
            expired.setString(2, state.name());
            expired.setLong(3, retention.of(state).toMillis());
            expired.setInt(4, limit);
            boolean any = false;
            try (ResultSet rows = expired.executeQuery()) {
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
