// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.search;

import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.message.Names;
import io.safebunny.store.StoreUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for rows by what people know, at READ COMMITTED: at a stricter level, some databases would lock what is read. Each search holds a
 * connection that handlers may need, and one by message id may read all rows, so those run one at a time. Thread-safe.
 */
public final class Searches {

    private static final Logger LOG = LoggerFactory.getLogger(Searches.class);

    private final Connections connections;
    private final Failures failures;
    private final String what;
    private final Semaphore permit = new Semaphore(1);

    /** @param what is searched, for exception texts: "The outbox" */
    public Searches(Connections connections, Failures failures, String what) {
        this.connections = connections;
        this.failures = failures;
        this.what = what;
    }

    /** A search that an index serves. Nothing is found for what is no id, which some databases would refuse. */
    public <T> List<T> byCorrelationId(String correlationId, SqlWork<List<T>> search) {
        if (!Names.isMessageId(correlationId)) {
            return List.of();
        }
        try {
            return connections.together(search);
        } catch (SQLException e) {
            throw failures.translateSearch(
                    what + " could not be searched for a correlation id", "correlation_id=" + correlationId, "Ask", e);
        }
    }

    /** A part of all rows, served by an index. */
    public <T> T part(SqlWork<T> reading) {
        try {
            return connections.together(reading);
        } catch (SQLException e) {
            throw failures.translateSearch(what + " could not be read from end to end", "rows=all", "Ask", e);
        }
    }

    /** A search that may read all rows. */
    public List<String> byMessageId(String messageId, Duration atMost, SqlWork<List<String>> search) {
        if (!Names.isMessageId(messageId)) {
            return List.of();
        }
        if (!permit.tryAcquire()) {
            throw new StoreUnavailableException(
                    "%s cannot be searched for a message id [message_id=%s]: another such search is running, and each may hold a connection that handlers need. Search by the correlation id, or ask again."
                            .formatted(what, messageId),
                    null,
                    null);
        }
        try {
            return connections.together(search);
        } catch (SQLException e) {
            throw failures.translateSearch(
                    what + " could not be searched for a message id",
                    "message_id=%s, at-most=%s".formatted(messageId, atMost),
                    "Search by the correlation id, or ask",
                    e);
        } finally {
            permit.release();
        }
    }

    /**
     * Runs a query for correlation ids. Its parameters are node, message id and limit.
     *
     * @param atMost how many seconds the database may take
     */
    public static List<String> correlationIds(
            Connection connection, String sql, String node, String messageId, int limit, int atMost)
            throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int before = statement.getQueryTimeout();
            statement.setQueryTimeout(atMost);
            try {
                statement.setString(1, node);
                statement.setString(2, messageId);
                statement.setInt(3, limit);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        found.add(rows.getString(1));
                    }
                }
            } finally {
                setBack(statement, before);
            }
        }
        return found;
    }

    /** H2 keeps the limit of a statement for all later ones of its connection. */
    private static void setBack(PreparedStatement statement, int seconds) {
        try {
            statement.setQueryTimeout(seconds);
        } catch (SQLException broken) {
            LOG.debug("A broken connection could not be reset", broken);
        }
    }

    /**
     * How many seconds a search may take: rounded up, because JDBC takes whole seconds, and 0 would mean no limit.
     *
     * @param timeout of any statement, in seconds
     */
    public static int seconds(Duration atMost, int timeout) {
        return (int) Math.min(timeout, Math.max(1, atMost.plusMillis(999).toSeconds()));
    }
}
