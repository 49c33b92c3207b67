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
 * Uses a separate connection for every operation, whatever transaction is open on the thread, so that a record is not rolled back
 * with the application's writes.
 */
public final class OwnConnections implements Connections {

    private static final Logger LOG = LoggerFactory.getLogger(OwnConnections.class);

    private static final String UNCONNECTED = "No connection could be obtained";

    /** If the database does not cancel a statement at its timeout, the connection is closed after this additional time. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final int silenceMillis;

    /** @param timeout of a statement */
    public OwnConnections(DataSource dataSource, Duration timeout) {
        this.dataSource = dataSource;
        this.silenceMillis = Math.toIntExact(timeout.plus(GRACE).toMillis());
    }

    @Override
    public <T> T once(SqlWork<T> work) throws SQLException {
        try (Connection connection = connect()) {
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
        try (Connection connection = connect()) {
            boolean limited = limitSilence(connection);
            boolean autoCommit = connection.getAutoCommit();
            int isolation = connection.getTransactionIsolation();
            // a stricter level would lock index ranges, or fail on rows changed by others
            boolean isolates = isolation != Connection.TRANSACTION_READ_COMMITTED;
            try {
                if (isolates) { // only if needed: each change is a round trip
                    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                }
                connection.setAutoCommit(false);
                return committed(connection, work, isComplete);
            } finally {
                restore(true, () -> connection.setAutoCommit(autoCommit));
                restore(isolates, () -> connection.setTransactionIsolation(isolation));
                restore(limited, () -> connection.setNetworkTimeout(Runnable::run, 0));
            }
        }
    }

    private Connection connect() throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (RuntimeException e) {
            throw Failures.sqlCause(UNCONNECTED, e);
        }
    }

    @FunctionalInterface
    private interface Setting {
        void set() throws SQLException;
    }

    /** Runs after a failure too: not every pool resets the connections it gets back. */
    private static void restore(boolean changed, Setting setting) {
        if (changed) {
            try {
                setting.set();
            } catch (SQLException broken) {
                LOG.debug("A broken connection could not be reset", broken);
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
            return; // the database rolls back when the connection closes; the first exception is more useful
        }
    }

    /** Keeps an unresponsive database from blocking the thread for ever. A time-out set by the application stays as it is. */
    private boolean limitSilence(Connection connection) throws SQLException {
        try {
            if (connection.getNetworkTimeout() != 0) {
                return false;
            }
            connection.setNetworkTimeout(Runnable::run, silenceMillis);
            return true;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            return false;
        } catch (RuntimeException e) { // a lazy proxy opens its connection only here
            throw Failures.sqlCause(UNCONNECTED, e);
        }
    }
}
