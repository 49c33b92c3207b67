// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.record.RecordState;
import java.util.Collections;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The SQL of one table, for one database and prefix. There are three: one for companions shared by a partition, whose last columns hold the
 * listing; one for steps that are stored apart; and one for messages, which has all other records.
 */
final class RecordTable {

    private static final String KEY = "node = ? and correlation_id = ? and message_id = ?";
    private static final String COMMON =
            "state, owner, version, attempt, takeovers, lease_ms, fingerprint, fingerprint_low, format, steps, outgoing";
    private static final String LISTING = ", listed_kind, listed_status, listed_since, due_at";

    private final Database database;
    private final String name;
    private final boolean listed;
    private final String columns;

    private RecordTable(Database database, String name, boolean listed) {
        this.database = database;
        this.name = name;
        this.listed = listed;
        this.columns = listed ? COMMON + LISTING : COMMON;
    }

    static RecordTable ofMessages(Database database, String prefix) {
        return new RecordTable(database, TablePrefix.require(prefix) + "message", false);
    }

    /** The table of steps that are stored apart; handlers' transactions take no locks in it. */
    static RecordTable ofSteps(Database database, String prefix) {
        return new RecordTable(database, TablePrefix.require(prefix) + "step", false);
    }

    static RecordTable ofCompanions(Database database, String prefix) {
        return new RecordTable(database, TablePrefix.require(prefix) + "companion", true);
    }

    String name() {
        return name;
    }

    Database database() {
        return database;
    }

    /** Whether it has the columns of a listing. */
    boolean isListed() {
        return listed;
    }

    private Dialect dialect() {
        return database.dialect();
    }

    /** A query that fails if the table or one of its columns is missing. */
    String check() {
        String conflicts =
                switch (dialect()) {
                    case MYSQL, MARIADB -> ", conflicts";
                    case POSTGRESQL, H2 -> "";
                };
        return "select node, correlation_id, message_id, %s, changed_at%s from %s where 1 = 0"
                .formatted(columns, conflicts, name);
    }

    /** Parameters: key, columns. */
    String insert() {
        return insert(1);
    }

    /** Like {@link #insert}, for several rows, on PostgreSQL. Columns: for each row that was inserted, the rest of its key. */
    String insertNew(int rows) {
        return insert(rows) + " returning correlation_id, message_id";
    }

    private String insert(int rows) {
        String row = "(?, ?, ?, %s, %s)"
                .formatted(columns.replaceAll("\\w+", "?"), dialect().now());
        return "insert into %s (node, correlation_id, message_id, %s, changed_at) values %s%s"
                .formatted(
                        name,
                        columns,
                        String.join(", ", Collections.nCopies(rows, row)),
                        dialect().unlessPresent());
    }

    /** Parameters: columns, key, version. */
    String update() {
        return update(", changed_at = " + dialect().now());
    }

    /**
     * Like {@link #update}, for a companion that has not ended: it keeps its time of change, which nobody reads before the end. So unless
     * the listing changes, no index changes, and PostgreSQL writes only the row (HOT).
     */
    String updateUnended() {
        return update("");
    }

    private String update(String more) {
        return "update %s set %s = ?%s where %s and version = ?"
                .formatted(name, columns.replace(",", " = ?,"), more, KEY);
    }

    /** Parameters: key. Columns: those of the insert after the key. */
    String find() {
        return "select %s from %s where %s".formatted(columns, name, KEY);
    }

    /** Like {@link #find}, and locks the row until the transaction ends. */
    String findAndLock() {
        return find() + " for update";
    }

    /** Parameters: node, readable format, milliseconds, limit. Columns: rest of the key, columns. */
    String findCompleted() {
        return "select correlation_id, message_id, %s from %s where node = ? and state = 'COMPLETED' and format <= ? and changed_at <= %s order by changed_at limit ?"
                .formatted(columns, name, dialect().ago());
    }

    /** Parameters: node, readable format, epoch milliseconds from and until, limit. Columns: rest of the key, columns. */
    String findDue() {
        return "select correlation_id, message_id, %s from %s where node = ? and format <= ? and due_at >= ? and due_at <= ? order by due_at limit ?"
                .formatted(columns, name);
    }

    /**
     * Parameters: node, readable format, kind, status, the query's bounds in epoch milliseconds if it has any, limit. Columns: rest of the
     * key, columns.
     */
    String findListed(ListingQuery query) {
        return "select correlation_id, message_id, %s from %s where node = ? and format <= ? and listed_kind = ? and listed_status = ?%s%s order by listed_since limit ?"
                .formatted(
                        columns,
                        name,
                        query.createdFrom() == null ? "" : " and listed_since >= ?",
                        query.createdBefore() == null ? "" : " and listed_since < ?");
    }

    /** Parameters: node, kind, status. */
    String countListed() {
        return "select count(*) from %s where node = ? and listed_kind = ? and listed_status = ?".formatted(name);
    }

    /**
     * Parameters: node, readable format, correlation id, message id after which to begin, limit. Columns: rest of the key, epoch milliseconds
     * of the change, columns.
     */
    String findCorrelated() {
        return "select correlation_id, message_id, %s, %s from %s where node = ? and format <= ? and correlation_id = ? and message_id > ? order by message_id limit ?"
                .formatted(dialect().millisOf("changed_at"), columns, name);
    }

    /** Parameters: node, correlation id, message id after which to begin, limit. Columns: rest of the key, columns. */
    String findAllOfPartition() {
        return "select correlation_id, message_id, %s from %s where node = ? and correlation_id = ? and message_id > ? order by message_id limit ?"
                .formatted(columns, name);
    }

    /** Parameters: node, correlation id after which to begin, limit. Columns: rest of the key, columns. */
    String findAllOfPartitions() {
        return "select correlation_id, message_id, %s from %s where node = ? and correlation_id > ? order by correlation_id, message_id limit ?"
                .formatted(columns, name);
    }

    /** Reads the keys of all rows, which are in an index with each database. Parameters: node, message id, limit. */
    String findCorrelationIds() {
        return "select correlation_id from %s where node = ? and message_id = ? limit ?".formatted(name);
    }

    /** Parameters: node, state, milliseconds, limit. Columns: rest of the key, version. */
    String findExpired() {
        return "select correlation_id, message_id, version from %s where node = ? and state = ? and changed_at < %s order by changed_at limit ?%s"
                .formatted(name, dialect().ago(), database.skipsLocked() ? " for update skip locked" : "");
    }

    /** Parameters: key, version. */
    String delete() {
        return "delete from %s where %s and version = ?".formatted(name, KEY);
    }

    /**
     * Finds and deletes in one statement, for PostgreSQL. The states are literals, so that PostgreSQL sees that a partial index, of this
     * version's schema or an earlier one, covers them. Parameters: node, milliseconds, time of change to begin with, limit. Columns: how many
     * were deleted, the latest time of change among them.
     */
    String deleteExpired(Predicate<RecordState> which) {
        String states = Stream.of(RecordState.values())
                .filter(which)
                .map(state -> "'" + state + "'")
                .collect(Collectors.joining(", "));
        return "with gone as (delete from %1$s where ctid = any (array(select ctid from %1$s where node = ? and state in (%2$s) and changed_at < %3$s and changed_at >= ? order by changed_at limit ? for update skip locked)) returning changed_at) select count(*), max(changed_at) from gone"
                .formatted(name, states, dialect().ago());
    }
}
