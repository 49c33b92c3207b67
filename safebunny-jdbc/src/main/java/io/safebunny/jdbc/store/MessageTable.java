// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.jdbc.sql.TablePrefix;

/** The SQL of the message table, for one database and prefix. */
final class MessageTable {

    private static final String KEY = "node = ? and correlation_id = ? and message_id = ?";
    private static final String COLUMNS =
            "state, owner, version, attempt, takeovers, lease_ms, fingerprint, fingerprint_low, format, steps, outgoing";

    private final Database database;
    private final String name;

    MessageTable(Database database, String prefix) {
        this.database = database;
        this.name = TablePrefix.require(prefix) + "message";
    }

    String name() {
        return name;
    }

    Database database() {
        return database;
    }

    private Dialect dialect() {
        return database.dialect();
    }

    /** A query that fails when the table or one of its columns is missing. */
    String check() {
        String conflicts =
                switch (dialect()) {
                    case MYSQL, MARIADB -> ", conflicts";
                    case POSTGRESQL, H2 -> "";
                };
        return "select node, correlation_id, message_id, %s, changed_at%s from %s where 1 = 0"
                .formatted(COLUMNS, conflicts, name);
    }

    /** Parameters: key, columns. */
    String insert() {
        return "insert into %s (node, correlation_id, message_id, %s, changed_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %s)%s"
                .formatted(name, COLUMNS, dialect().now(), dialect().unlessPresent());
    }

    /** Parameters: columns, key, version. */
    String update() {
        return "update %s set %s = ?, changed_at = %s where %s and version = ?"
                .formatted(name, COLUMNS.replace(",", " = ?,"), dialect().now(), KEY);
    }

    /** Parameters: key. Columns: those of the insert after the key. */
    String find() {
        return "select %s from %s where %s".formatted(COLUMNS, name, KEY);
    }

    /** Parameters: node, readable format, milliseconds, limit. Columns: rest of the key, columns. */
    String findCompleted() {
        return "select correlation_id, message_id, %s from %s where node = ? and state = 'COMPLETED' and format <= ? and changed_at <= %s order by changed_at limit ?"
                .formatted(COLUMNS, name, dialect().ago());
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

    /** PostgreSQL only, which can find and delete in one statement. Parameters: node, milliseconds, limit. */
    String deleteExpired() {
        return "delete from %1$s where ctid = any (array(select ctid from %1$s where node = ? and state in ('DISPATCHED', 'POISONED') and changed_at < %2$s order by changed_at limit ? for update skip locked))"
                .formatted(name, dialect().ago());
    }
}
