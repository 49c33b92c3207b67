// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.store.ListingQuery;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.MessageRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** Finds companions by their listing, on a given connection. */
public final class Listings {

    private final Statements companions;
    private final String node;
    private final String findDue;
    private final String countListed;

    public Listings(Statements companions, String node) {
        this.companions = companions;
        this.node = node;
        this.findDue = companions.table().findDue();
        this.countListed = companions.table().countListed();
    }

    public List<MessageRecord> findDue(
            Connection connection,
            Instant from,
            Instant until,
            int limit,
            Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        try (PreparedStatement statement = companions.prepare(connection, findDue)) {
            statement.setString(1, node);
            statement.setInt(2, RecordRow.FORMAT);
            statement.setLong(3, ceiling(from));
            statement.setLong(4, until.toEpochMilli());
            statement.setInt(5, limit);
            return companions.found(statement, unreadable);
        }
    }

    public List<MessageRecord> findListed(
            Connection connection, ListingQuery query, Consumer<UnreadableRecordException> unreadable)
            throws SQLException {
        try (PreparedStatement statement =
                companions.prepare(connection, companions.table().findListed(query))) {
            int next = 1;
            statement.setString(next++, node);
            statement.setInt(next++, RecordRow.FORMAT);
            statement.setString(next++, query.kind());
            statement.setString(next++, query.status());
            Instant from = query.createdFrom();
            if (from != null) {
                statement.setLong(next++, ceiling(from));
            }
            Instant before = query.createdBefore();
            if (before != null) {
                statement.setLong(next++, ceiling(before));
            }
            statement.setInt(next, query.limit());
            return companions.found(statement, unreadable);
        }
    }

    /** Rounds up to whole milliseconds, because stored times are rounded down. */
    private static long ceiling(Instant time) {
        return time.minusNanos(1).toEpochMilli() + 1;
    }

    public long countListed(Connection connection, String kind, String status) throws SQLException {
        try (PreparedStatement statement = companions.prepare(connection, countListed)) {
            statement.setString(1, node);
            statement.setString(2, kind);
            statement.setString(3, status);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }
}
