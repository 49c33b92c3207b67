// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox.rows;

import io.safebunny.jdbc.search.Searches;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.message.Headers;
import io.safebunny.store.Outbox;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.RecordJson;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The statements of the outbox table, for the rows of one node. They run on a given connection and are cancelled after the
 * timeout. Thread-safe.
 */
public final class OutboxTable {

    private static final String ID = "id";

    /** Number of rows that a search reads at a time. */
    private static final int PORTION = 20;

    /** Number of rows among which the oldest is looked for. */
    private static final int LOOKED_AT = 1_000;

    private final Database database;
    private final String name;
    private final String inOrderOfDue;
    private final String inOrderOfCorrelation;
    private final String nodeOfDue;
    private final String idInOrder;
    private final String node;
    private final Timeline timeline;
    private final int timeoutSeconds;

    /** @param timeline how far it is ahead of the database's clock is added to due times */
    public OutboxTable(Database database, String prefix, String node, Timeline timeline, Duration timeout) {
        this.database = database;
        this.name = TablePrefix.require(prefix) + "outbox";
        String index = name.substring(name.lastIndexOf('.') + 1);
        this.inOrderOfDue = database.dialect().inOrderOf(index + "_due");
        this.inOrderOfCorrelation = database.dialect().inOrderOf(index + "_correlation");
        // see the schema: so that each statement fits one index only
        boolean isPostgres = database.dialect() == Dialect.POSTGRESQL;
        this.nodeOfDue = isPostgres ? "(node || '')" : "node";
        this.idInOrder = isPostgres ? "(%sid + 0)" : "%sid";
        this.node = node;
        this.timeline = timeline;
        // rounded up: JDBC takes whole seconds, and 0 would mean no limit
        this.timeoutSeconds = Math.toIntExact(timeout.plusMillis(999).toSeconds());
    }

    public String name() {
        return name;
    }

    public String script() {
        return database.dialect().script();
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return limited(connection.prepareStatement(sql));
    }

    private PreparedStatement limited(PreparedStatement statement) throws SQLException {
        try {
            statement.setQueryTimeout(timeoutSeconds);
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    /** Fails when the table, one of its columns, or an index that a statement names is missing. */
    public boolean check(Connection connection) throws SQLException {
        String sql =
                "select id, node, correlation_id, message_id, message, attempts, created_at, due_at from %s%s where 1 = 0"
                        .formatted(name, inOrderOfDue);
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.executeQuery().close();
            return true;
        }
    }

    /** @param dueIn time after which any instance's relay may claim the row */
    public OutboxRow insert(Connection connection, OutboundMessage message, Duration dueIn) throws SQLException {
        String sql =
                "insert into %s (node, correlation_id, message_id, message, attempts, created_at, due_at) values (?, ?, ?, ?, 0, %s, %s)"
                        .formatted(
                                name,
                                database.dialect().now(),
                                database.dialect().later());
        String correlationId = message.message().headers().get(Headers.ORDER_KEY) instanceof String key
                ? key
                : Objects.requireNonNullElse(message.message().correlationId(), "");
        try (PreparedStatement statement = limited(connection.prepareStatement(sql, new String[] {ID}))) {
            statement.setString(1, node);
            statement.setString(2, correlationId);
            statement.setString(3, Objects.requireNonNullElse(message.message().messageId(), ""));
            statement.setString(4, RecordJson.writeOutgoing(List.of(message)));
            statement.setLong(5, fromNow(dueIn));
            statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                if (!keys.next()) {
                    throw new SQLException(
                            "The database returned no id for the row inserted into %s; check that its column id is generated"
                                    .formatted(name));
                }
                return new OutboxRow(keys.getLong(1), correlationId, 0, message);
            }
        }
    }

    /** The ids in the table up to {@code largest}, by correlation. */
    public Map<String, NavigableSet<Long>> present(Connection connection, Collection<String> correlations, long largest)
            throws SQLException {
        String sql = "select correlation_id, id from %s where node = ? and %s <= ? and correlation_id in (%s)"
                .formatted(name, idInOrder(""), places(correlations.size()));
        Map<String, NavigableSet<Long>> found = new HashMap<>();
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setString(1, node);
            statement.setLong(2, largest);
            bind(statement, 3, new ArrayList<>(correlations));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.computeIfAbsent(rows.getString(1), key -> new TreeSet<>())
                            .add(rows.getLong(2));
                }
            }
        }
        return found;
    }

    /**
     * Locks due rows that are the first of their correlation, starting with those due longest. Skips rows locked by others.
     *
     * @param ago minimum time since the rows became due
     */
    public List<ClaimedRow> lockFirst(Connection connection, int limit, Duration ago) throws SQLException {
        List<ClaimedRow> locked = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, lockFirst())) {
            statement.setString(1, node);
            statement.setLong(2, ago(ago));
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(claimed(rows, true));
                }
            }
        }
        return locked;
    }

    /** The scalar subquery is a single index lookup; some databases would turn {@code not exists} into a join over the whole table. */
    public String lockFirst() {
        return "select id, correlation_id, message_id, attempts, message from %1$s o%2$s where %6$s = ? and due_at <= %3$s and id = (select e.id from %1$s e%5$s where e.node = o.node and e.correlation_id = o.correlation_id order by e.node, e.correlation_id, %7$s limit 1) order by %6$s, due_at limit ? for update%4$s"
                .formatted(
                        name,
                        inOrderOfDue,
                        database.dialect().ago(),
                        database.skipsLocked() ? " skip locked" : "",
                        inOrderOfCorrelation,
                        nodeOfDue,
                        idInOrder("e."));
    }

    /** Rows after the first ones of these correlations, in the order of their ids. The lock on a first row covers them too. */
    public List<ClaimedRow> behind(
            Connection connection, long first, Collection<String> correlations, int limit, Duration ago)
            throws SQLException {
        String sql =
                "select id, correlation_id, message_id, attempts, message, case when due_at <= %1$s then 1 else 0 end from %2$s where node = ? and %4$s > ? and correlation_id in (%3$s) order by %4$s limit ?"
                        .formatted(database.dialect().ago(), name, places(correlations.size()), idInOrder(""));
        List<ClaimedRow> found = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setLong(1, ago(ago));
            statement.setString(2, node);
            statement.setLong(3, first);
            bind(statement, 4, new ArrayList<>(correlations));
            statement.setInt(4 + padded(correlations.size()), limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(claimed(rows, rows.getInt(6) == 1));
                }
            }
        }
        return found;
    }

    private static ClaimedRow claimed(ResultSet rows, boolean isDue) throws SQLException {
        return new ClaimedRow(
                rows.getLong(1), rows.getString(2), rows.getString(3), rows.getInt(4), rows.getString(5), isDue);
    }

    /**
     * Hides the rows, and those behind them, from all relays until they are due again.
     *
     * @param failures number of attempts to add
     */
    public void defer(Connection connection, List<Long> ids, Duration dueIn, int failures) throws SQLException {
        String sql = "update %s set due_at = %s, attempts = attempts + ? where id in (%s)"
                .formatted(name, database.dialect().later(), places(ids.size()));
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setLong(1, fromNow(dueIn));
            statement.setInt(2, failures);
            bind(statement, 3, ids);
            statement.executeUpdate();
        }
    }

    public void delete(Connection connection, List<Long> ids) throws SQLException {
        String sql = "delete from %s where id in (%s)".formatted(name, places(ids.size()));
        try (PreparedStatement statement = prepare(connection, sql)) {
            bind(statement, 1, ids);
            statement.executeUpdate();
        }
    }

    /**
     * Rows of the node.
     *
     * @param age of the oldest of the 1,000 that are due first; {@code null} if there is none
     * @param older whether there are more than these
     */
    public record Counted(int rows, @Nullable Duration age, boolean older) {}

    /** Counts up to {@code most}, so a large table is not scanned, and reads an index only. */
    public Counted count(Connection connection, int most) throws SQLException {
        String sql = "select count(*) from (select 1 as one from %s where node = ? limit ?) counted".formatted(name);
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setString(1, node);
            statement.setInt(2, most);
            try (ResultSet rows = statement.executeQuery()) {
                int counted = rows.next() ? rows.getInt(1) : 0;
                return counted == 0 ? new Counted(0, null, false) : oldest(connection, counted);
            }
        }
    }

    /** By the index in which the relay looks, too: there is none of when rows were stored. */
    private Counted oldest(Connection connection, int counted) throws SQLException {
        Dialect dialect = database.dialect();
        String sql =
                "select %1$s, coalesce(%2$s, -1) from (select created_at from %3$s%4$s where %5$s = ? order by %5$s, due_at limit ?) due"
                        .formatted(
                                dialect.millisOf(dialect.now()),
                                dialect.millisOf("min(created_at)"),
                                name,
                                inOrderOfDue,
                                nodeOfDue);
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setString(1, node);
            statement.setInt(2, LOOKED_AT);
            try (ResultSet rows = statement.executeQuery()) {
                long created = rows.next() ? rows.getLong(2) : -1;
                return created < 0
                        ? new Counted(0, null, false)
                        : new Counted(
                                counted,
                                Duration.ofMillis(Math.max(0, rows.getLong(1) - created)),
                                counted > LOOKED_AT);
            }
        }
    }

    /** Reads in small portions, because a row has the whole message, of which little is kept. */
    public List<Outbox.Unsent> findCorrelated(Connection connection, String correlationId, int limit)
            throws SQLException {
        Dialect dialect = database.dialect();
        String sql =
                "select id, correlation_id, message_id, attempts, message, %1$s, %2$s from %3$s where node = ? and correlation_id = ? and %4$s > ? order by node, correlation_id, %4$s limit ?"
                        .formatted(dialect.millisOf("created_at"), dialect.millisOf("due_at"), name, idInOrder(""));
        List<Outbox.Unsent> found = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setString(1, node);
            statement.setString(2, correlationId);
            long last = -1;
            int portion;
            int before;
            do {
                before = found.size();
                portion = Math.min(PORTION, limit - before);
                statement.setLong(3, last);
                statement.setInt(4, portion);
                last = addTo(found, statement);
            } while (found.size() - before == portion && found.size() < limit);
        }
        return found;
    }

    /** @return the id of the last row */
    private static long addTo(List<Outbox.Unsent> found, PreparedStatement statement) throws SQLException {
        long last = -1;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ClaimedRow row = claimed(rows, false);
                last = row.id();
                found.add(new Outbox.Unsent(
                        row.messageId(),
                        row.type(),
                        row.attempts(),
                        Instant.ofEpochMilli(rows.getLong(6)),
                        Instant.ofEpochMilli(rows.getLong(7))));
            }
        }
        return last;
    }

    /** In the order in which they were stored, by the primary key: at most 20 at a time, because each has a whole message. */
    public StoredPage<OutboundMessage> findAll(Connection connection, @Nullable String after, int limit)
            throws SQLException {
        String sql =
                "select id, correlation_id, message_id, attempts, message from %s where node = ? and id > ? order by id limit ?"
                        .formatted(name);
        int portion = Math.min(PORTION, limit);
        List<OutboundMessage> found = new ArrayList<>();
        int unreadable = 0;
        long last = after == null ? -1 : Long.parseLong(after);
        try (PreparedStatement statement = prepare(connection, sql)) {
            statement.setString(1, node);
            statement.setLong(2, last);
            statement.setInt(3, portion);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    last = rows.getLong(1);
                    try {
                        found.add(claimed(rows, false).read().message());
                    } catch (RuntimeException e) { // each parser throws exceptions of its own type
                        unreadable++;
                    }
                }
            }
        }
        return new StoredPage<>(found, unreadable, found.size() + unreadable < portion ? null : String.valueOf(last));
    }

    /** Reads all rows of the node. */
    public List<String> findCorrelationIds(Connection connection, String messageId, int limit, Duration atMost)
            throws SQLException {
        String sql =
                "select distinct correlation_id from %s where node = ? and message_id = ? and correlation_id <> '' limit ?"
                        .formatted(name);
        return Searches.correlationIds(
                connection, sql, node, messageId, limit, Searches.seconds(atMost, timeoutSeconds));
    }

    private String idInOrder(String alias) {
        return idInOrder.formatted(alias);
    }

    /** Milliseconds to add to the database's clock. */
    private long fromNow(Duration dueIn) {
        return timeline.lead().plus(dueIn).toMillis();
    }

    private long ago(Duration ago) {
        return ago.minus(timeline.lead()).toMillis();
    }

    // ---- lists are padded to a power of two to limit the number of different prepared statements

    private static int padded(int size) {
        return size == 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
    }

    private static String places(int size) {
        return String.join(", ", Collections.nCopies(padded(size), "?"));
    }

    /** Repeats the last value in the padding. */
    private static void bind(PreparedStatement statement, int first, List<? extends @Nullable Object> values)
            throws SQLException {
        int places = padded(values.size());
        for (int i = 0; i < places; i++) {
            statement.setObject(first + i, values.get(Math.min(i, values.size() - 1)));
        }
    }
}
