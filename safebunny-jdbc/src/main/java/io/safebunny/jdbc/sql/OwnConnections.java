// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of its own for every operation, whatever transaction is open on the thread: a record is not to be rolled
 * back with the application's writes.
 */
public final class OwnConnections implements Connections {

    private static final Logger LOG = LoggerFactory.getLogger(OwnConnections.class);

    /** A statement that the database does not even cancel ends this much later, with its connection. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final int silenceMillis;

    /** @param timeout of the statements */
    public OwnConnections(DataSource dataSource, Duration timeout) {
        this.dataSource = dataSource;
        this.silenceMillis = Math.toIntExact(timeout.plus(GRACE).toMillis());
    }

    @Override
    public <T> T once(SqlWork<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean limited = limitSilence(connection);
            try {
                return connection.getAutoCommit() ? work.on(connection) : committed(connection, work, result -> true);
            } finally {
                restore(limited, () -> connection.setNetworkTimeout(Runnable::run, 0));
            }
        }
    }

    @Override
    public <T> T together(SqlWork<T> work) throws SQLException {
        return together(work, result -> true);
    }

    @Override
    public <T> T together(SqlWork<T> work, Predicate<T> isComplete) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean limited = limitSilence(connection);
            boolean autoCommit = connection.getAutoCommit();
            int isolation = connection.getTransactionIsolation();
            try {
                // a stricter one locks ranges of the index, or fails where rows are passed over that others changed
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                connection.setAutoCommit(false);
                return committed(connection, work, isComplete);
            } finally {
                restore(true, () -> connection.setAutoCommit(autoCommit));
                restore(true, () -> connection.setTransactionIsolation(isolation));
                restore(limited, () -> connection.setNetworkTimeout(Runnable::run, 0));
            }
        }
    }

    @FunctionalInterface
    private interface Setting {
        void set() throws SQLException;
    }

    /** After a failure too: not every pool looks at what it gets back. */
    private static void restore(boolean changed, Setting setting) {
        if (changed) {
            try {
                setting.set();
            } catch (SQLException broken) {
                LOG.debug("A connection is of no use any more", broken);
            }
        }
    }

    private static <T> T committed(Connection connection, SqlWork<T> work, Predicate<T> isComplete)
            throws SQLException {
        boolean committed = false;
        try {
            T result = work.on(connection);
            if (isComplete.test(result)) {
                connection.commit();
                committed = true;
            }
            return result;
        } finally {
            if (!committed) {
                rollback(connection);
            }
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException alreadyBroken) {
            return; // the database ends what its connection leaves open; the first exception tells more
        }
    }

    /** So that a database that went silent does not hold the thread for ever. */
    private boolean limitSilence(Connection connection) throws SQLException {
        try {
            if (connection.getNetworkTimeout() != 0) {
                return false;
            }
            connection.setNetworkTimeout(Runnable::run, silenceMillis);
            return true;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            return false;
        }
    }
}
