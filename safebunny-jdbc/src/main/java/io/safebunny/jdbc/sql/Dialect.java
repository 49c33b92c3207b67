// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.util.Locale;

/** Where the databases differ. */
public enum Dialect {
    POSTGRESQL(
            // not of the transaction, which may be long; and stable where an index is to be searched
            "clock_timestamp()",
            "statement_timestamp() - ? * interval '1 millisecond'",
            "clock_timestamp() + ? * interval '1 millisecond'",
            "",
            " on conflict do nothing"),
    MYSQL(
            "utc_timestamp(6)",
            "utc_timestamp(6) - interval (? * 1000) microsecond",
            "utc_timestamp(6) + interval (? * 1000) microsecond",
            " force index (primary)",
            Dialect.COUNT_CONFLICT),
    MARIADB(
            "utc_timestamp(6)",
            "utc_timestamp(6) - interval (? * 1000) microsecond",
            "utc_timestamp(6) + interval (? * 1000) microsecond",
            " force index (primary)",
            Dialect.COUNT_CONFLICT),
    H2(
            "current_timestamp(6)",
            "dateadd(millisecond, -1 * cast(? as bigint), current_timestamp(6))",
            "dateadd(millisecond, cast(? as bigint), current_timestamp(6))",
            "",
            "");

    /**
     * Takes an exclusive lock on what is there. After a failed insert the waiting transactions would share a lock, and
     * deadlock as soon as two of them write.
     */
    private static final String COUNT_CONFLICT = " on duplicate key update conflicts = conflicts + 1";

    private final String now;
    private final String ago;
    private final String later;
    private final String inOrderOfKey;
    private final String unlessPresent;

    Dialect(String now, String ago, String later, String inOrderOfKey, String unlessPresent) {
        this.now = now;
        this.ago = ago;
        this.later = later;
        this.inOrderOfKey = inOrderOfKey;
        this.unlessPresent = unlessPresent;
    }

    /** The time now, by the database's clock. */
    public String now() {
        return now;
    }

    /** The time so many milliseconds ago, which are a parameter, by the database's clock. */
    public String ago() {
        return ago;
    }

    /** The time in so many milliseconds, which are a parameter, by the database's clock. */
    public String later() {
        return later;
    }

    /** What follows a table's name so that it is read in the order of its key: sorted first, all of it would be locked. */
    public String inOrderOfKey() {
        return inOrderOfKey;
    }

    /** What follows an insert so that it changes one row when it inserted, none or two otherwise, and does not fail. */
    public String unlessPresent() {
        return unlessPresent;
    }

    /** Script that makes the tables, on the class path. */
    public String script() {
        return "io/safebunny/jdbc/schema-%s.sql".formatted(name().toLowerCase(Locale.ROOT));
    }
}
