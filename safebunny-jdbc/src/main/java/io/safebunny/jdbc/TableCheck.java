// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.failure.ConfigurationException;
import java.sql.SQLException;

/** Refuses to start with a table that the statements do not fit. */
record TableCheck(MessageTable table, Statements statements, Failures failures) {

    void run(Connections connections) {
        try {
            connections.once(connection -> {
                statements.check(connection);
                return true;
            });
        } catch (SQLException e) {
            if (Failures.kindOf(e) == Failures.Kind.TABLE) {
                throw new ConfigurationException(
                        "SB-1402",
                        "Table %s is missing, lacks columns, or may not be read [SQLState=%s]."
                                .formatted(table.name(), e.getSQLState()),
                        "Run the script %s in safebunny-jdbc.jar, for example as a Flyway migration, or set safebunny.store.jdbc.initialize-schema=always. If it has another name, correct safebunny.store.jdbc.table-prefix."
                                .formatted(table.database().dialect().script()),
                        e);
            }
            throw failures.translate("Table %s could not be looked at".formatted(table.name()), e);
        }
    }
}
