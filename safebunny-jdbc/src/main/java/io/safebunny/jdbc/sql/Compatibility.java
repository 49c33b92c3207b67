// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rejects a table whose database treats different ids as equal or executes SafeBunny's statements differently, because of collations,
 * settings or compatibility modes. Otherwise this would show only when a saga reads another one's state. Tests the actual columns, however
 * the table was created.
 */
final class Compatibility {

    private static final int SECONDS = 5;

    private static final List<String> KEY = List.of("node", "correlation_id", "message_id");

    /** Pairs of different ids that are equal when case, punctuation or leading zeros are ignored. */
    private static final Map<String, String> DIFFERENT = Map.of("a", "A", "a-b", "ab", "a01", "a1");

    private Compatibility() {}

    /** @throws ConfigurationException SB-1425, SB-1426 */
    static void require(String table, Connections connections) throws SQLException {
        try {
            for (String column : KEY) {
                Optional<String> confused =
                        connections.once(connection -> Optional.ofNullable(confused(connection, table, column)));
                if (confused.isPresent()) {
                    throw refusal(table, column, confused.get());
                }
            }
        } catch (SQLException e) {
            if (Failures.kindOf(e) != Failures.Kind.TABLE) {
                throw e;
            }
            throw new ConfigurationException(
                    "SB-1426",
                    "The database rejects SafeBunny's SQL [table=%s, SQLState=%s], probably because it is in a compatibility mode."
                            .formatted(table, e.getSQLState()),
                    "Remove MODE from the JDBC URL of H2, or use its modes LEGACY, MariaDB, MySQL or PostgreSQL.",
                    e);
        }
    }

    private static ConfigurationException refusal(String table, String column, String confused) {
        if (confused.isEmpty()) {
            return new ConfigurationException(
                    "SB-1426",
                    "The database treats an empty text as null [table=%s]: it is in a compatibility mode."
                            .formatted(table),
                    "Remove MODE=Oracle from the JDBC URL of H2, or EMPTY_STRING_IS_NULL from the sql_mode of MariaDB.");
        }
        return new ConfigurationException(
                "SB-1425",
                "The database treats different ids as equal [column=%s.%s, ids='%s' and '%s']: a message could be taken for a duplicate of another, and two sagas for one."
                        .formatted(table, column, confused, DIFFERENT.get(confused)),
                "Set a collation that compares each character on the columns %s of the table, as SafeBunny's script does: ascii_bin in MySQL and MariaDB, a deterministic one in PostgreSQL; in H2, create the tables without IGNORECASE and COLLATION in the JDBC URL."
                        .formatted(String.join(", ", KEY)));
    }

    /**
     * An id that is found by a query for a different id. Empty if the database stores an empty text as null; {@code null} if all is well.
     */
    private static @Nullable String confused(Connection connection, String table, String column) throws SQLException {
        // reads no row, but compares with the column's collation; tests "limit" too, which the other statements use
        StringBuilder sql =
                new StringBuilder("select id from (select %s as id from %s where 1 = 0".formatted(column, table));
        DIFFERENT.keySet().forEach(id -> sql.append(" union all select '%s'".formatted(id)));
        sql.append(" union all select '') probe where id is null");
        DIFFERENT.values().forEach(id -> sql.append(" or id = '%s'".formatted(id)));
        sql.append(" limit 1");
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            try (ResultSet rows = statement.executeQuery(sql.toString())) {
                if (!rows.next()) {
                    return null;
                }
                String id = rows.getString(1);
                return id == null ? "" : id;
            }
        }
    }
}
