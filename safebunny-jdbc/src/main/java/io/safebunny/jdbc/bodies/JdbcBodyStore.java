// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.bodies;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.jdbc.sql.Failures;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.sql.OwnConnections;
import io.safebunny.jdbc.sql.SqlWork;
import io.safebunny.jdbc.sql.TableCheck;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.time.Timeline;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps bodies in the tables {@code safebunny_body} and {@code safebunny_body_part} of PostgreSQL, MySQL, MariaDB or H2, which all nodes share. A body
 * is stored in parts of 256 KB, so no limit of a packet, a log or a driver's memory has to be raised for a large one, and is read part by part.
 *
 * <p>Each call has connections of its own, for a part of the time that it takes: a message may be sent before the transaction is committed in
 * which it is published, and then its body has to be there. What a transaction has put that is rolled back is deleted when it is old.
 * Thread-safe.
 */
public final class JdbcBodyStore implements BodyStore {

    /** Its name in references. */
    public static final String NAME = "jdbc";

    private static final int PART = 256 * 1024;
    /** Of parts, so that few are in memory twice. */
    private static final int BATCH = 8;

    /** SQL states: PostgreSQL and H2; MySQL and MariaDB. */
    private static final Set<String> DUPLICATES = Set.of("23505", "23000");

    private static final int MOST_TRIES = 5;

    private final String table;
    private final Connections connections;
    private final int timeoutSeconds;
    private final Timeline timeline;

    /**
     * Checks the tables.
     *
     * @param tablePrefix of the tables' names, as of the store's tables
     * @param timeout of one statement, which writes 2 MB at most
     * @throws ConfigurationException SB-1401 when the database is not supported, SB-1402 when a table is missing
     * @throws StoreUnavailableException when the database does not answer
     */
    public JdbcBodyStore(DataSource dataSource, String tablePrefix, Duration timeout, Timeline timeline) {
        DataSource database = JdbcSchema.unwrap(dataSource);
        this.table = tablePrefix + "body";
        this.connections = new OwnConnections(database, timeout);
        this.timeoutSeconds = Math.toIntExact(Math.max(1, timeout.toSeconds()));
        this.timeline = timeline;
        String script = JdbcSchema.of(database, tablePrefix).location();
        TableCheck.isThere(
                table,
                script,
                connections,
                connection -> isAnswered(connection, "select body_key, length, put_at from %s where 1 = 0"));
        TableCheck.isThere(
                table + "_part",
                script,
                connections,
                connection -> isAnswered(connection, "select body_key, part, content from %s_part where 1 = 0"));
    }

    private boolean isAnswered(Connection connection, String sql) throws SQLException {
        try (PreparedStatement query = prepare(connection, sql);
                ResultSet rows = query.executeQuery()) {
            return !rows.next();
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void put(BodyReference reference, byte[] body) {
        SQLException last = null;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                add(reference, body);
                return;
            } catch (SQLException e) {
                last = e;
            }
            boolean isThere = DUPLICATES.contains(String.valueOf(last.getSQLState()));
            if (!isThere && Failures.kindOf(last) != Failures.Kind.BUSY) {
                throw failed(last);
            }
            if (isRenewed(reference)) {
                return;
            }
            if (!isThere) { // a second try would take as long
                throw failed(last);
            }
        } // each time somebody has added it, and somebody has deleted it
        throw new BodyStoreUnavailableException(
                "A body could not be put into table %s: others put and delete it all the time".formatted(table), last);
    }

    /** Whether it was there, and counts as put now. */
    private boolean isRenewed(BodyReference reference) {
        return asked(connection -> {
            try (PreparedStatement update =
                    prepare(connection, "update %s set put_at = greatest(put_at, ?) where body_key = ?")) {
                update.setLong(1, timeline.now().toEpochMilli());
                update.setString(2, reference.key());
                return update.executeUpdate() > 0;
            }
        });
    }

    private void add(BodyReference reference, byte[] body) throws SQLException {
        boolean unused = connections.together(connection -> {
            insert(connection, reference);
            insertParts(connection, reference, body);
            return true;
        });
    }

    private void insert(Connection connection, BodyReference reference) throws SQLException {
        try (PreparedStatement insert =
                prepare(connection, "insert into %s (body_key, length, put_at) values (?, ?, ?)")) {
            insert.setString(1, reference.key());
            insert.setLong(2, reference.length());
            insert.setLong(3, timeline.now().toEpochMilli());
            insert.executeUpdate();
        }
    }

    private void insertParts(Connection connection, BodyReference reference, byte[] body) throws SQLException {
        try (PreparedStatement insert =
                prepare(connection, "insert into %s_part (body_key, part, content) values (?, ?, ?)")) {
            int part = 0;
            for (int begin = 0; begin < body.length; begin += PART) {
                insert.setString(1, reference.key());
                insert.setInt(2, part++);
                insert.setBytes(3, Arrays.copyOfRange(body, begin, Math.min(body.length, begin + PART)));
                insert.addBatch();
                if (part % BATCH == 0) {
                    insert.executeBatch();
                }
            }
            if (part % BATCH != 0) {
                insert.executeBatch();
            }
        }
    }

    @Override
    public @Nullable InputStream open(BodyReference reference) {
        Optional<Long> length = asked(connection -> {
            try (PreparedStatement query = prepare(connection, "select length from %s where body_key = ?")) {
                query.setString(1, reference.key());
                try (ResultSet rows = query.executeQuery()) {
                    return rows.next() ? Optional.of(rows.getLong(1)) : Optional.empty();
                }
            }
        });
        return length.map(bytes -> new PartsStream(number -> part(reference, number), bytes))
                .orElse(null);
    }

    /** {@code null} if the body was deleted meanwhile. */
    private byte @Nullable [] part(BodyReference reference, int number) {
        return asked(connection -> {
                    try (PreparedStatement query =
                            prepare(connection, "select content from %s_part where body_key = ? and part = ?")) {
                        query.setString(1, reference.key());
                        query.setInt(2, number);
                        try (ResultSet rows = query.executeQuery()) {
                            return Optional.ofNullable(rows.next() ? rows.getBytes(1) : null);
                        }
                    }
                })
                .orElse(null);
    }

    @Override
    public int deleteOlderThan(Instant limit, int most) {
        int deleted = 0;
        BodyStoreUnavailableException failure = null;
        int before;
        do {
            before = deleted;
            int some = most - deleted;
            for (String key : asked(connection -> olderThan(connection, limit, some))) {
                try {
                    deleted += isDeleted(key, limit) ? 1 : 0; // another instance may be faster
                } catch (BodyStoreUnavailableException e) { // the others have nothing to do with it
                    failure = e;
                }
            }
        } while (deleted < most && deleted > before);
        if (failure != null && deleted < most) {
            throw failure;
        }
        return deleted;
    }

    private List<String> olderThan(Connection connection, Instant limit, int most) throws SQLException {
        List<String> keys = new ArrayList<>();
        try (PreparedStatement query =
                prepare(connection, "select body_key from %s where put_at < ? order by put_at, body_key")) {
            query.setLong(1, limit.toEpochMilli());
            query.setMaxRows(most);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    keys.add(rows.getString(1));
                }
            }
        }
        return keys;
    }

    /** Its row first: whoever adds the same body waits until its parts are gone, too. */
    private boolean isDeleted(String key, Instant limit) {
        try {
            return connections.together(connection -> {
                try (PreparedStatement delete =
                        prepare(connection, "delete from %s where body_key = ? and put_at < ?")) {
                    delete.setString(1, key);
                    delete.setLong(2, limit.toEpochMilli());
                    if (delete.executeUpdate() == 0) {
                        return false;
                    }
                }
                try (PreparedStatement parts = prepare(connection, "delete from %s_part where body_key = ?")) {
                    parts.setString(1, key);
                    parts.executeUpdate();
                }
                return true;
            });
        } catch (SQLException e) {
            throw failed(e);
        }
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

    private BodyStoreUnavailableException failed(SQLException e) {
        return new BodyStoreUnavailableException(
                "Table %s with large bodies cannot be used [SQLState=%s]".formatted(table, e.getSQLState()), e);
    }
}
