// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.test.database.PostgresServer;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A PostgreSQL database with the tables of store and outbox, and a connection pool. Thread-safe. */
public final class BenchDatabase implements AutoCloseable {

    private final PostgresServer server = PostgresServer.start();
    private final HikariDataSource pool;
    private final JdbcTemplate sql;

    public BenchDatabase(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setMaximumPoolSize(connections);
        pool = new HikariDataSource(config);
        sql = new JdbcTemplate(pool);
        new ResourceDatabasePopulator(new ByteArrayResource(JdbcSchema.of(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX)
                        .script()
                        .getBytes(StandardCharsets.UTF_8)))
                .execute(pool);
    }

    public DataSource pool() {
        return pool;
    }

    public JdbcTemplate sql() {
        return sql;
    }

    @Override
    public void close() {
        pool.close();
        server.close();
    }
}
