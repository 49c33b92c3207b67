// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.subjects;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectKey;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.jdbc.sql.TablePrefix;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keys of persons in the table {@code safebunny_subject_key} of PostgreSQL, MySQL, MariaDB or H2. Each call has a connection of its own, so nothing of it
 * is rolled back with the application's transactions. Uses no connection before the first call. Thread-safe.
 */
public final class JdbcSubjectKeys implements SubjectKeys {

    private static final String DUPLICATE = "23";
    private static final int MOST_TRIES = 5;

    private static final String COLUMNS = "id, coalesce(subject, erased_subject), wrapping_key, sealed, erased_at";

    private final String table;
    private final OwnConnections connections;
    private final int timeoutSeconds;

    /**
     * @param tablePrefix of the table's name, as of the store's tables
     * @param timeout of one statement, at least a second
     */
    public JdbcSubjectKeys(DataSource dataSource, String tablePrefix, Duration timeout) {
        TablePrefix.require(tablePrefix);
        this.table = tablePrefix + "subject_key";
        this.connections = new OwnConnections(JdbcSchema.unwrap(dataSource), timeout);
        this.timeoutSeconds = Math.toIntExact(Math.max(1, timeout.toSeconds()));
    }

    @Override
    public @Nullable SubjectKey find(String subject) {
        return asked(connection -> one(connection, "subject = ?", subject)).orElse(null);
    }

    @Override
    public @Nullable SubjectKey findById(String id) {
        return asked(connection -> one(connection, "id = ?", id)).orElse(null);
    }

    @Override
    public @Nullable SubjectKey findErased(String subject) {
        return asked(connection -> one(connection, "erased_subject = ? order by erased_at desc", subject))
                .orElse(null);
    }

    @Override
    public SubjectKey addIfAbsent(SubjectKey fresh) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            if (add(fresh)) {
                return fresh;
            }
            SubjectKey present = find(fresh.subject());
            if (present != null) {
                return present;
            }
        } // each time somebody has added one and somebody erased it
        throw new KeysUnavailableException(
                "A key could not be added to table %s: others change that of its person all the time".formatted(table),
                null);
    }

    @Override
    public boolean erase(String subject, Instant at) {
        return asked(connection -> {
            try (PreparedStatement update = prepare(
                    connection,
                    "update %s set subject = null, erased_subject = ?, sealed = null, erased_at = ? where subject = ?")) {
                update.setString(1, subject);
                update.setLong(2, at.toEpochMilli());
                update.setString(3, subject);
                return update.executeUpdate() > 0;
            }
        });
    }

    /** {@inheritDoc} Reads the whole table. */
    @Override
    public Map<String, Long> countByWrappingKey() {
        return asked(connection -> {
            Map<String, Long> counts = new TreeMap<>();
            try (PreparedStatement query = prepare(
                            connection,
                            "select wrapping_key, count(*) from %s where sealed is not null group by wrapping_key");
                    ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    counts.put(rows.getString(1), rows.getLong(2));
                }
            }
            return counts;
        });
    }

    /** @return whether its person had none before */
    private boolean add(SubjectKey fresh) {
        try {
            return connections.once(connection -> inserted(connection, fresh));
        } catch (SQLException e) {
            String state = e.getSQLState();
            if ((state != null && state.startsWith(DUPLICATE)) || Failures.kindOf(e) == Failures.Kind.BUSY) {
                return false;
            }
            throw failed(e);
        }
    }

    private boolean inserted(Connection connection, SubjectKey fresh) throws SQLException {
        try (PreparedStatement insert =
                prepare(connection, "insert into %s (id, subject, wrapping_key, sealed) values (?, ?, ?, ?)")) {
            insert.setString(1, fresh.id());
            insert.setString(2, fresh.subject());
            insert.setString(3, fresh.wrappingKey());
            insert.setBytes(4, fresh.sealed());
            return insert.executeUpdate() == 1;
        }
    }

    private Optional<SubjectKey> one(Connection connection, String which, String value) throws SQLException {
        try (PreparedStatement query = prepare(connection, "select " + COLUMNS + " from %s where " + which)) {
            query.setString(1, value);
            query.setMaxRows(1);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? Optional.of(key(rows)) : Optional.empty();
            }
        }
    }

    private static SubjectKey key(ResultSet row) throws SQLException {
        String id = row.getString(1);
        String subject = row.getString(2);
        String wrappingKey = row.getString(3);
        byte[] sealed = row.getBytes(4);
        long erasedAt = row.getLong(5);
        return new SubjectKey(id, subject, wrappingKey, sealed, row.wasNull() ? null : Instant.ofEpochMilli(erasedAt));
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql.formatted(table));
        statement.setQueryTimeout(timeoutSeconds);
        return statement;
    }

    private <T> T asked(SqlWork<T> work) {
        try {
            return connections.once(work);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private RuntimeException failed(SQLException e) {
        KeysUnavailableException away = new KeysUnavailableException(
                "Table %s with the keys of persons cannot be used [SQLState=%s]".formatted(table, e.getSQLState()), e);
        return Failures.kindOf(e) != Failures.Kind.TABLE
                ? away
                : new ConfigurationException(
                        "SB-1402",
                        "Table %s is missing, lacks columns, or may not be used [SQLState=%s]."
                                .formatted(table, e.getSQLState()),
                        "Run the script for your database in io/safebunny/jdbc of safebunny-jdbc.jar, for example as a Flyway migration, or set safebunny.store.jdbc.initialize-schema=always. If it has another name, correct safebunny.store.jdbc.table-prefix.",
                        e);
    }
}
