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
 * Refuses a table to whose database two different ids are one, or that does not do what SafeBunny's statements say: with collations,
 * settings and compatibility modes of which nobody would learn before a saga has read another one's state. Asks with the columns as they
 * are, so it sees whoever made the table, and however.
 */
final class Compatibility {

    private static final int SECONDS = 5;

    private static final List<String> KEY = List.of("node", "correlation_id", "message_id");

    /** Of ids that differ, by the one in the table: they are equal without case, without punctuation, and as numbers. */
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
                    "The database does not understand SafeBunny's SQL [table=%s, SQLState=%s]: it is in a compatibility mode."
                            .formatted(table, e.getSQLState()),
                    "Remove MODE from the JDBC URL of H2, or use its modes LEGACY, MariaDB, MySQL or PostgreSQL.",
                    e);
        }
    }

    private static ConfigurationException refusal(String table, String column, String confused) {
        if (confused.isEmpty()) {
            return new ConfigurationException(
                    "SB-1426",
                    "The database takes an empty text for none [table=%s]: it is in a compatibility mode."
                            .formatted(table),
                    "Remove MODE=Oracle from the JDBC URL of H2, or EMPTY_STRING_IS_NULL from the sql_mode of MariaDB.");
        }
        return new ConfigurationException(
                "SB-1425",
                "To the database, different ids are the same [column=%s.%s, ids='%s' and '%s']: a message would be taken for another one's repetition, and two sagas for one."
                        .formatted(table, column, confused, DIFFERENT.get(confused)),
                "Give the columns %s of the table a collation that compares each character, as SafeBunny's script does: ascii_bin in MySQL and MariaDB, a deterministic one in PostgreSQL; in H2, make the tables without IGNORECASE and COLLATION in the JDBC URL."
                        .formatted(String.join(", ", KEY)));
    }

    /** An id of the column that is found by a different one; empty if an empty text is none, {@code null} if all is well. */
    private static @Nullable String confused(Connection connection, String table, String column) throws SQLException {
        // no row of the table is read, but its column decides what equals what; and the limit is one that all else uses
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
