// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.jdbc.sql.TransactionState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes several records in one round trip, if the driver can send several statements at once. The database runs them one after the other.
 */
final class JointStatement {

    private JointStatement() {}

    /** Only PostgreSQL's own driver is known to prepare statements separated by semicolons. */
    static boolean isAccepted(Connection connection) throws SQLException {
        return TransactionState.of(connection) != TransactionState.UNKNOWN;
    }

    /**
     * Runs all writes, even if an earlier one changes nothing; the caller must then roll back.
     *
     * @param writes in the order in which their rows are locked
     * @return the first record that could not be written; {@code null} if all were
     */
    static @Nullable Write run(RecordTables tables, Connection connection, List<Write> writes) throws SQLException {
        String sql = writes.stream()
                .map(write -> tables.of(write.record().key()).sqlOf(write))
                .collect(Collectors.joining("; "));
        try (PreparedStatement statement = tables.messages().prepare(connection, sql)) {
            int next = 1;
            for (Write write : writes) {
                next = tables.of(write.record().key()).bind(statement, next, write);
            }
            boolean unused = statement.execute();
            Write overtaken = null;
            for (Write write : writes) {
                if (statement.getUpdateCount() != 1 && overtaken == null) {
                    overtaken = write;
                }
                unused = statement.getMoreResults();
            }
            return overtaken;
        }
    }
}
