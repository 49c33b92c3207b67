// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.store.rows.RecordTables;
import io.safebunny.jdbc.store.rows.Statements;
import io.safebunny.store.Retention;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordState;
import java.sql.Connection;
import java.sql.SQLException;

/** Removes expired records in small portions and skips locked ones. Thread-safe. */
record ExpiredRecords(Connections connections, RecordTables tables, Retention retention) {

    /**
     * @param limit how many at most
     * @return how many
     * @throws StoreUnavailableException when the database does not answer
     */
    int remove(int limit) {
        int removed = 0;
        for (Statements table : tables.inLockOrder()) {
            removed += remove(table, limit - removed);
        }
        return removed;
    }

    private int remove(Statements table, int limit) {
        int removed = 0;
        while (removed < limit) {
            int portion = Math.min(JdbcMessageStore.PORTION, limit - removed);
            int gone = removePortion(table, portion);
            removed += gone;
            if (gone < portion) {
                break;
            }
        }
        return removed;
    }

    private int removePortion(Statements table, int portion) {
        try {
            return connections.together(connection -> removePortion(table, connection, portion));
        } catch (SQLException e) {
            throw table.failures().translate("Expired records could not be removed", e);
        }
    }

    private int removePortion(Statements table, Connection connection, int portion) throws SQLException {
        if (tables.dialect() == Dialect.POSTGRESQL) {
            int handled = table.deleteHandled(connection, retention.handled(), portion);
            return handled + table.deletePoisoned(connection, retention.poisoned(), portion - handled);
        }
        int removed = 0;
        for (RecordState state : RecordState.values()) {
            if (state.isFinal()) {
                removed += table.deleteExpired(connection, state, retention.of(state), portion - removed);
            }
        }
        return removed;
    }
}
