// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.Retention;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * The message store in a database.
 *
 * @param initializeSchema When missing tables of the store and the outbox are created: never, always, or only in an embedded
 *     database. With never, run the script schema-postgresql.sql, schema-mysql.sql, schema-mariadb.sql or schema-h2.sql in
 *     io/safebunny/jdbc of the jar yourself.
 * @param tablePrefix Prefix of the table names, which end in "message", "step", "companion", "outbox", "subject_key", "body" and "body_part". May include a
 *     schema, as in messaging.safebunny_.
 * @param transactional Whether a message is handled in one transaction with its record, so that what the handler writes to this
 *     database takes effect exactly once. Needs a transaction manager that binds connections of the DataSource; without one the
 *     start fails if this is set to true, and otherwise a warning says that each write to the store commits on
 *     its own. In a transaction, each message being handled holds a connection; a fifth of the pool, at least one connection, is
 *     reserved for steps, and further messages wait their turn.
 * @param timeout How long one statement may take, including the wait for another delivery of the same message; after that the
 *     message comes back later. At least 1s; raising it makes threads wait longer.
 */
@ConfigurationProperties("safebunny.store.jdbc")
record JdbcStoreProperties(
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
        @DefaultValue(JdbcStoreOptions.DEFAULT_TABLE_PREFIX) String tablePrefix,
        @DefaultValue("true") boolean transactional,
        @DefaultValue("5s") Duration timeout) {

    /** Limits a record to 8 MiB or to the maximum message size, whichever is larger: what fits on the wire fits in a record. */
    JdbcStoreOptions toOptions(SafeBunnyOptions node) {
        return new JdbcStoreOptions(
                node.node(),
                new Retention(node.retention(), node.poisonRetention()),
                tablePrefix,
                Math.max(JdbcStoreOptions.DEFAULT_MAX_CONTENT_BYTES, node.maxMessageSize()),
                timeout);
    }
}
