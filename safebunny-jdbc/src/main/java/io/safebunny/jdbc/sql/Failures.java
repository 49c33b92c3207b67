// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.details.Causes;
import io.safebunny.failure.details.Printable;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordKey;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.springframework.core.NestedExceptionUtils;

/**
 * Classifies failed statements and creates their exceptions. Never repeats a driver's message, which may contain addresses, users and
 * values.
 *
 * @param table name of the table, for exception texts
 */
public record Failures(String table) {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final String REFUSED_IT = "the database refused it; check the cause for the reason.";

    /** SQL states: cancelled, transaction rolled back, deadlock, lock not available; H2's and MySQL's time-outs. */
    private static final Set<String> BUSY =
            Set.of("57014", "40000", "40P01", "40001", "55P03", "HYT00", "HYT01", "90131", "70100");

    /**
     * Error codes of MySQL and MariaDB for a lock wait time-out, a deadlock, a refusal to wait for a lock, statements that took too long,
     * and rows that were changed after the transaction's first read. Their SQL states do not distinguish these cases.
     */
    private static final Set<Integer> BUSY_IN_MYSQL = Set.of(1205, 1213, 3572, 3024, 1969, 1020);

    /** Thrown by MySQL's driver, with neither SQL state nor error code, for a statement that its client cancelled. */
    private static final String CANCELLED_IN_MYSQL = "MySQLStatementCancelledException";

    /** SQL states of PostgreSQL for sessions that it ended, or refused because there are too many; the outcome is unknown. */
    private static final Set<String> NO_SESSION = Set.of("25P03", "25P04", "53300", "40003");

    /**
     * Error codes of MySQL and MariaDB, with unspecific SQL states, for sessions that the server has ended: killed (two codes), idle for
     * too long, shutting down.
     */
    private static final Set<Integer> NO_SESSION_IN_MYSQL = Set.of(1927, 3169, 4031, 3032);

    /**
     * Error codes of MySQL for a character that the column's or connection's character set lacks; its SQL state is the unspecific
     * HY000.
     */
    private static final Set<Integer> NO_SUCH_CHARACTER = Set.of(1366, 1300);

    /** Error code of MySQL and MariaDB for a statement larger than {@code max_allowed_packet}. */
    private static final int PACKET_TOO_LARGE = 1153;

    /** Exceptions that their drivers throw or wrap when they notice the excess before sending. */
    private static final Set<String> DRIVERS_PACKET_TOO_LARGE =
            Set.of("MaxAllowedPacketException", "PacketTooBigException");

    public enum Kind {
        /** Locked by another transaction, or timed out. The statement had no effect. */
        BUSY,
        /** No connection, or it was lost: whether the statement took effect is unknown. */
        CONNECTION,
        /** The content itself cannot be stored; retrying is useless. */
        CONTENT,
        /** The table, or one of its columns, is missing or may not be used. */
        TABLE,
        /** The database refused for any other reason. */
        REFUSED
    }

    public static Kind kindOf(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.startsWith("22") // a "data exception" of the SQL standard
                || NO_SUCH_CHARACTER.contains(e.getErrorCode())
                || isPacketTooLarge(e)) {
            return Kind.CONTENT;
        }
        if (isConnection(e, state)) {
            return Kind.CONNECTION;
        }
        if (isBusy(e, state)) {
            return Kind.BUSY;
        }
        if (state.isEmpty() && !(e instanceof SQLNonTransientException)) {
            return Kind.CONNECTION; // thrown by the connection pool
        }
        return state.startsWith("42") || state.equals("3F000") || state.equals("90079") ? Kind.TABLE : Kind.REFUSED;
    }

    private static boolean isConnection(SQLException e, String state) {
        return e instanceof SQLRecoverableException
                || e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || state.startsWith("08")
                || (state.startsWith("57P") && !state.equals("57P04"))
                || NO_SESSION.contains(state)
                || NO_SESSION_IN_MYSQL.contains(e.getErrorCode());
    }

    /** Checks the type first: drivers throw time-outs without SQL state and error code. */
    private static boolean isBusy(SQLException e, String state) {
        return e instanceof SQLTimeoutException
                || e instanceof SQLTransactionRollbackException
                || e.getClass().getSimpleName().equals(CANCELLED_IN_MYSQL)
                || BUSY.contains(state)
                || BUSY_IN_MYSQL.contains(e.getErrorCode());
    }

    private static boolean isPacketTooLarge(SQLException e) {
        if (e.getErrorCode() == PACKET_TOO_LARGE) {
            return true;
        }
        for (Throwable cause : Causes.of(e)) {
            if (DRIVERS_PACKET_TOO_LARGE.contains(cause.getClass().getSimpleName())) {
                return true;
            }
        }
        return false;
    }

    /** The first SQL exception among the causes. */
    public static @Nullable SQLException sqlCause(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    /**
     * Finds the database's exception behind one thrown by the code that provides a connection or a transaction: a pool, the application's
     * {@code DataSource}, a tenant resolver.
     *
     * @param what failed, as a sentence
     * @return the SQL exception among its causes
     * @throws ApplicationCodeException when there is none
     */
    public static SQLException sqlCause(String what, RuntimeException e) {
        SQLException sql = sqlCause(e);
        if (sql != null) {
            return sql;
        }
        Throwable root = NestedExceptionUtils.getRootCause(e);
        throw new ApplicationCodeException(
                "%s, for a reason that is not the database's: %s. Correct what the DataSource or the transaction manager calls, or let a ContextPropagator provide what it needs on the thread, such as the tenant."
                        .formatted(what, root == null ? e : root),
                e);
    }

    /** @param what failed, as a sentence that names the record's message */
    public SafeBunnyException translateWriting(String what, RecordKey key, SQLException e) {
        if (kindOf(e) != Kind.CONTENT) {
            return translate(what, e);
        }
        return new RecordRefusedException(
                key,
                "the database rejects one of its values as invalid or too long, or the record as too large [SQLState=%s, error=%s]. The database's character set must be Unicode (UTF8, utf8mb4). With MySQL and MariaDB, set max_allowed_packet above 8MB and safebunny.max-message-size. Or publish references instead of content, and keep step results small."
                        .formatted(e.getSQLState(), e.getErrorCode()),
                e);
    }

    /** @param what failed, as a sentence that names the message if there is one */
    public StoreUnavailableException translate(String what, SQLException e) {
        Kind kind = kindOf(e);
        String why =
                switch (kind) {
                    case BUSY ->
                        "it is locked by another transaction, or the database took too long. SafeBunny retries later;"
                                + " see safebunny.store.jdbc.timeout.";
                    case CONNECTION ->
                        "there is no connection to the database. SafeBunny retries later; if this goes on, check the"
                                + " database and the size of the connection pool.";
                    case TABLE -> unusable();
                    case CONTENT, REFUSED -> REFUSED_IT;
                };
        return new StoreUnavailableException(
                "%s [SQLState=%s, error=%s]: %s".formatted(what, e.getSQLState(), e.getErrorCode(), why),
                kind == Kind.BUSY ? PATIENCE : null,
                e);
    }

    /**
     * Translates the failure of a search, which nobody repeats but who asked.
     *
     * @param what failed, as a sentence
     * @param which ids and limits
     * @param advice what to do, as the beginning of "again"
     */
    public StoreUnavailableException translateSearch(String what, String which, String advice, SQLException e) {
        String why =
                switch (kindOf(e)) {
                    case BUSY ->
                        "it is locked by another transaction, or took longer than it may, which is no longer than safebunny.store.jdbc.timeout. %s again."
                                .formatted(advice);
                    case CONNECTION ->
                        "there is no connection to the database. %s again; if this goes on, check the database and the size of the connection pool."
                                .formatted(advice);
                    case TABLE -> unusable();
                    case CONTENT, REFUSED -> REFUSED_IT;
                };
        return new StoreUnavailableException(
                "%s [%s, SQLState=%s, error=%s]: %s".formatted(what, which, e.getSQLState(), e.getErrorCode(), why),
                null,
                e);
    }

    private String unusable() {
        return "table %s, or one of its columns, is missing or may not be used. Run the script for your database, io/safebunny/jdbc/schema-*.sql in safebunny-jdbc.jar, or correct safebunny.store.jdbc.table-prefix."
                .formatted(table);
    }

    /** Logs a failure that is retried, without a stack trace if the database refused or cannot be reached. */
    public void warn(Logger log, String what, Throwable e) {
        SQLException sql = sqlCause(e);
        if (sql == null) {
            log.warn(what, Printable.inLines(e));
        } else {
            log.warn("{}", Printable.text(String.valueOf(translate(what, sql).getMessage())));
            log.debug("Stack trace of the warning above", e);
        }
    }

    /** Translates a failure in the application's own transaction, which SafeBunny cannot retry. */
    public StoreUnavailableException translateStoring(String what, SQLException e) {
        String why =
                switch (kindOf(e)) {
                    case BUSY -> "the database took too long, or ended the transaction as the victim of a deadlock.";
                    case CONNECTION -> "there is no connection to the database any more.";
                    case TABLE -> unusable();
                    case CONTENT, REFUSED -> REFUSED_IT;
                };
        return new StoreUnavailableException(
                "%s [SQLState=%s, error=%s]: %s The transaction is rolled back and none of its messages is sent, so either run it again or handle the failure."
                        .formatted(what, e.getSQLState(), e.getErrorCode(), why),
                null,
                e);
    }
}
