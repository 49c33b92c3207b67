// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.JdbcMessageStore;
import io.safebunny.jdbc.JdbcSchema;
import io.safebunny.jdbc.JdbcStoreOptions;
import io.safebunny.jdbc.TransactionalJdbcMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.test.database.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A database of one's own with the message store's table. */
final class Postgres implements AutoCloseable {

    private static final JdbcStoreOptions OPTIONS = JdbcStoreOptions.of("sink", Duration.ofDays(7));

    private final PostgresServer server = PostgresServer.start();
    private final HikariDataSource pool;

    /** @param connections one for each message in a transaction, and some */
    Postgres(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setMaximumPoolSize(connections);
        pool = new HikariDataSource(config);
        new ResourceDatabasePopulator(
                        new ByteArrayResource(JdbcSchema.of(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX)
                                .script()
                                .getBytes(StandardCharsets.UTF_8)))
                .execute(pool);
    }

    MessageStore plain() {
        empty();
        return new JdbcMessageStore(pool, OPTIONS);
    }

    MessageStore transactional() {
        empty();
        return new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), OPTIONS);
    }

    private void empty() {
        new JdbcTemplate(pool).execute("truncate table safebunny_message");
    }

    @Override
    public void close() {
        pool.close();
        server.close();
    }
}
