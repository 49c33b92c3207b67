// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.store.record.RecordState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Deletes expired rows of some states on PostgreSQL, the oldest first. While somebody holds a transaction open, deleted rows stay in the index.
 * So as long as there are more than it may delete at once, it goes on where it was; then it begins with the oldest again, because that may have
 * been locked, or the deletion rolled back. Thread-safe.
 */
final class ExpiredInOrder {

    private static final OffsetDateTime OLDEST = OffsetDateTime.parse("1970-01-01T00:00:00Z");

    private final Statements table;
    private final String node;
    private final long keptMillis;
    private final String delete;
    private volatile OffsetDateTime from = OLDEST;

    ExpiredInOrder(Statements table, String node, Predicate<RecordState> states, Duration kept) {
        this.table = table;
        this.node = node;
        this.keptMillis = kept.toMillis();
        this.delete = table.table().deleteExpired(states);
    }

    /** Returns how many rows it has deleted. */
    int delete(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = table.prepare(connection, delete)) {
            statement.setString(1, node);
            statement.setLong(2, keptMillis);
            statement.setObject(3, from);
            statement.setInt(4, limit);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                int deleted = row.getInt(1);
                @Nullable OffsetDateTime last = row.getObject(2, OffsetDateTime.class);
                from = deleted < limit || last == null ? OLDEST : last;
                return deleted;
            }
        }
    }
}
