// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.util.Locale;

/** The differences between the databases. */
public enum Dialect {
    POSTGRESQL(
            // now() would be the start of the transaction, which may be long ago; "ago" must not change within the
            // statement, or no index can be used
            "clock_timestamp()",
            "statement_timestamp() - ? * interval '1 millisecond'",
            "clock_timestamp() + ? * interval '1 millisecond'",
            "floor(extract(epoch from %s) * 1000)",
            "",
            " on conflict do nothing"),
    MYSQL(
            "utc_timestamp(6)",
            "utc_timestamp(6) - interval (? * 1000) microsecond",
            "utc_timestamp(6) + interval (? * 1000) microsecond",
            "timestampdiff(microsecond, '1970-01-01 00:00:00', %s) div 1000",
            " force index (%s)",
            Dialect.COUNT_CONFLICT),
    MARIADB(
            "utc_timestamp(6)",
            "utc_timestamp(6) - interval (? * 1000) microsecond",
            "utc_timestamp(6) + interval (? * 1000) microsecond",
            "timestampdiff(microsecond, '1970-01-01 00:00:00', %s) div 1000",
            " force index (%s)",
            Dialect.COUNT_CONFLICT),
    H2(
            "current_timestamp(6)",
            "dateadd(millisecond, -1 * cast(? as bigint), current_timestamp(6))",
            "dateadd(millisecond, cast(? as bigint), current_timestamp(6))",
            "datediff(millisecond, timestamp with time zone '1970-01-01 00:00:00+00:00', %s)",
            "",
            "");

    /**
     * Locks the existing row exclusively. A plain insert that fails would leave each waiting transaction with a shared lock on the row, and
     * two of them that then write would deadlock.
     */
    private static final String COUNT_CONFLICT = " on duplicate key update conflicts = conflicts + 1";

    private final String now;
    private final String ago;
    private final String later;
    private final String millis;
    private final String inOrderOf;
    private final String unlessPresent;

    Dialect(String now, String ago, String later, String millis, String inOrderOf, String unlessPresent) {
        this.now = now;
        this.ago = ago;
        this.later = later;
        this.millis = millis;
        this.inOrderOf = inOrderOf;
        this.unlessPresent = unlessPresent;
    }

    /** SQL for the current time of the database's clock. */
    public String now() {
        return now;
    }

    /** SQL for a past time of the database's clock; the one parameter is the distance in milliseconds. */
    public String ago() {
        return ago;
    }

    /** SQL for a future time of the database's clock; the one parameter is the distance in milliseconds. */
    public String later() {
        return later;
    }

    /** SQL for a stored time in milliseconds since 1970. */
    public String millisOf(String column) {
        return millis.formatted(column);
    }

    /**
     * SQL after a table's name that forces reading in index order where the database needs a hint: sorting before the limit would lock
     * every matching row. The statement fails if the index does not exist.
     */
    public String inOrderOf(String index) {
        return inOrderOf.formatted(index);
    }

    /**
     * SQL after an insert that keeps it from failing on an existing row: the update count is 1 if it inserted, otherwise 0 or 2. Empty if
     * the database has no such clause.
     */
    public String unlessPresent() {
        return unlessPresent;
    }

    /** Class path location of the script that creates the tables. */
    public String script() {
        return "io/safebunny/jdbc/schema-%s.sql".formatted(name().toLowerCase(Locale.ROOT));
    }
}
