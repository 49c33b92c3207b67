// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.store.JdbcStoreOptions;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.util.unit.DataSize;

/**
 * The message store in a database.
 *
 * @param initializeSchema When the tables of store and outbox are created, if they are missing: never, always, or in an embedded database only.
 *     With never, run the script schema-postgresql.sql, schema-mysql.sql, schema-mariadb.sql or schema-h2.sql in
 *     io/safebunny/jdbc of the jar yourself.
 * @param tablePrefix What the tables' names begin with; the rest is "message" and "outbox". May name a schema, as in
 *     messaging.safebunny_.
 * @param transactional Whether a message is handled in one transaction with its record, so that what the handler writes to
 *     this database takes effect exactly once. Needs a transaction manager for the DataSource; without one each write to
 *     the store stands alone. Each message being handled then holds a connection; a fifth of the pool's, at least one, is
 *     kept for steps, and further messages wait for their turn.
 * @param maxContentSize How much the publications and step results of one message may take in the table; more is refused.
 *     Raising it costs heap, and MySQL needs a max_allowed_packet that is larger.
 * @param timeout How long one statement may take, waiting for another delivery of the same message included; then the
 *     message comes back later. At least 1s; raising it makes threads wait longer.
 */
@ConfigurationProperties("safebunny.store.jdbc")
record JdbcStoreProperties(
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
        @DefaultValue(JdbcStoreOptions.DEFAULT_TABLE_PREFIX) String tablePrefix,
        @DefaultValue("true") boolean transactional,
        @DefaultValue("8MB") DataSize maxContentSize,
        @DefaultValue("5s") Duration timeout) {}
