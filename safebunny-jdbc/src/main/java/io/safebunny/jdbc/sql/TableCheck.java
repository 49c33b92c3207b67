// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import java.sql.SQLException;

/** Fails the start if a table is missing, lacks columns or an index, or its database treats different ids as equal. */
public final class TableCheck {

    private TableCheck() {}

    /**
     * @param script location of the script that creates the table
     * @param probe a query that fails if the table, a column or an index is missing
     */
    public static void run(String table, String script, Connections connections, SqlWork<Boolean> probe) {
        checked(table, script, () -> {
            connections.once(probe);
            Compatibility.require(table, connections);
        });
    }

    /**
     * Of a table in which ids that are taken for equal do no harm.
     *
     * @param script location of the script that creates the table
     * @param probe a query that fails if the table, a column or an index is missing
     */
    public static void isThere(String table, String script, Connections connections, SqlWork<Boolean> probe) {
        checked(table, script, () -> connections.once(probe));
    }

    @FunctionalInterface
    private interface Check {
        void run() throws SQLException;
    }

    private static void checked(String table, String script, Check check) {
        try {
            check.run();
        } catch (SQLException e) {
            if (Failures.kindOf(e) == Failures.Kind.TABLE) {
                throw new ConfigurationException(
                        "SB-1402",
                        "Table %s is missing, lacks columns or an index, or may not be read [SQLState=%s]."
                                .formatted(table, e.getSQLState()),
                        "Run the script %s in safebunny-jdbc.jar, for example as a Flyway migration, or set safebunny.store.jdbc.initialize-schema=always. If it has another name, correct safebunny.store.jdbc.table-prefix; if an earlier version created it, alter it as the changelog says."
                                .formatted(script),
                        e);
            }
            throw new Failures(table).translate("Table %s could not be checked".formatted(table), e);
        }
    }
}
