// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordRefusedException;
import io.safebunny.spi.store.StoreUnavailableException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What a failed statement means. Messages of drivers are not repeated: they may hold addresses, users and values.
 *
 * @param table its name, for messages
 */
public record Failures(String table) {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Cancelled, deadlock, serialization failure, lock not available; H2's and MySQL's time-outs. */
    private static final Set<String> BUSY =
            Set.of("57014", "40P01", "40001", "55P03", "HYT00", "HYT01", "90131", "70100");

    /** MySQL and MariaDB: lock wait time-out, deadlock, and statements that took too long; their states say less. */
    private static final Set<Integer> BUSY_IN_MYSQL = Set.of(1205, 1213, 3024, 1969);

    /** MySQL, whose state for it says nothing: the column's, or the connection's, character set lacks a character. */
    private static final Set<Integer> NO_SUCH_CHARACTER = Set.of(1366, 1300);

    /** MySQL and MariaDB: the statement is larger than {@code max_allowed_packet}. */
    private static final int PACKET_TOO_LARGE = 1153;

    /** What their drivers throw, or have as the cause, when they know it before they send anything. */
    private static final Set<String> DRIVERS_PACKET_TOO_LARGE =
            Set.of("MaxAllowedPacketException", "PacketTooBigException");

    public enum Kind {
        /** Somebody else has it, or the time was up. The statement did nothing. */
        BUSY,
        /** No connection, or none any more: whether it took place is unknown. */
        CONNECTION,
        /** What was to be written: it does not fit, as it is, and never will. */
        CONTENT,
        /** The table, or one of its columns, is missing or may not be used. */
        TABLE,
        /** Anything else: the database refused. */
        REFUSED
    }

    public static Kind kindOf(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        if (state.startsWith("22") // a "data exception" of the SQL standard
                || NO_SUCH_CHARACTER.contains(e.getErrorCode())
                || isPacketTooLarge(e)) {
            return Kind.CONTENT;
        }
        if (e instanceof SQLRecoverableException
                || e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || state.isEmpty() // it comes from the pool
                || state.startsWith("08")
                || (state.startsWith("57P") && !state.equals("57P04"))) {
            return Kind.CONNECTION;
        }
        if (e instanceof SQLTimeoutException || BUSY.contains(state) || BUSY_IN_MYSQL.contains(e.getErrorCode())) {
            return Kind.BUSY;
        }
        return state.startsWith("42") || state.equals("3F000") || state.equals("90079") ? Kind.TABLE : Kind.REFUSED;
    }

    private static boolean isPacketTooLarge(SQLException e) {
        if (e.getErrorCode() == PACKET_TOO_LARGE) {
            return true;
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (DRIVERS_PACKET_TOO_LARGE.contains(cause.getClass().getSimpleName())) {
                return true;
            }
        }
        return false;
    }

    /** The first SQL exception among the causes. */
    public static @Nullable SQLException sqlCause(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    /** @param what the writing of the record failed, in words */
    public SafeBunnyException translateWriting(String what, RecordKey key, SQLException e) {
        if (kindOf(e) != Kind.CONTENT) {
            return translate(what, e);
        }
        return new RecordRefusedException(
                key,
                "the database finds a value of it invalid or too long, or the whole of it too large [SQLState=%s, error=%d]. Its character set must be Unicode (UTF8, utf8mb4). With MySQL and MariaDB raise max_allowed_packet above safebunny.store.jdbc.max-content-size; publish references instead of content, and smaller step results."
                        .formatted(e.getSQLState(), e.getErrorCode()),
                e);
    }

    /** @param what failed, with the id of the message it is about */
    public StoreUnavailableException translate(String what, SQLException e) {
        Kind kind = kindOf(e);
        String why =
                switch (kind) {
                    case BUSY ->
                        "it is locked by another transaction, or the database took too long. It is tried again later;"
                                + " see safebunny.store.jdbc.timeout.";
                    case CONNECTION ->
                        "there is no connection to the database. It is tried again later; if this goes on, look at the"
                                + " database and the size of the connection pool.";
                    case TABLE ->
                        "table %s, or one of its columns, is missing or may not be used. Run the script for your database, io/safebunny/jdbc/schema-*.sql in safebunny-jdbc.jar, or correct safebunny.store.jdbc.table-prefix."
                                .formatted(table);
                    case CONTENT, REFUSED -> "the database refused it. The cause tells why.";
                };
        return new StoreUnavailableException(
                "%s [SQLState=%s, error=%d]: %s".formatted(what, e.getSQLState(), e.getErrorCode(), why),
                kind == Kind.BUSY ? PATIENCE : null,
                e);
    }

    /** About what is tried again: without the stack trace of a database that is away, or went first at shutdown. */
    public void warn(Logger log, String what, Throwable e) {
        SQLException sql = sqlCause(e);
        if (sql == null) {
            log.warn(what, e);
        } else {
            log.warn("{}", translate(what, sql).getMessage());
            log.debug("In full", e);
        }
    }

    /** @param what failed in the application's transaction, which is not tried again by this library */
    public StoreUnavailableException translateStoring(String what, SQLException e) {
        String why =
                switch (kindOf(e)) {
                    case BUSY ->
                        "the database took too long, or ended it as one of several that waited for each other.";
                    case CONNECTION -> "there is no connection to the database any more.";
                    case TABLE ->
                        "table %s, or one of its columns, is missing or may not be used. Run the script for your database, io/safebunny/jdbc/schema-*.sql in safebunny-jdbc.jar, or correct safebunny.store.jdbc.table-prefix."
                                .formatted(table);
                    case CONTENT, REFUSED -> "the database refused it. The cause tells why.";
                };
        return new StoreUnavailableException(
                "%s [SQLState=%s, error=%d]: %s The transaction is rolled back; nothing of it is sent. Begin it again."
                        .formatted(what, e.getSQLState(), e.getErrorCode(), why),
                null,
                e);
    }
}
