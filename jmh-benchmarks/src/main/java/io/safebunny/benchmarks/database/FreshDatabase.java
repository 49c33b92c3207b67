// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.sql.JdbcSchema;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.test.database.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** An empty database of its own on a server, with pools of connections. For one thread; the pools are thread-safe. */
public final class FreshDatabase implements AutoCloseable {

    private static final int LOOKS = 50;
    private static final long LOOK_MILLIS = 10;

    /** Without what begins and ends transactions, and what the driver sends when it connects. */
    private static final String STATEMENTS =
            "select coalesce(sum(calls), 0) from pg_stat_statements join pg_database on pg_database.oid = dbid where toplevel and query !~* '^(begin|start transaction|commit|rollback|set (extra_float_digits|application_name))' and datname = ?";

    private final String name;
    private final String url;
    private final JdbcTemplate server;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final JdbcTemplate sql;

    /** @param name unique on the server, lower case */
    public FreshDatabase(PostgresServer postgres, String name) {
        this.name = name;
        this.url = postgres.jdbcUrl().replace("/postgres?", "/" + name + "?");
        this.server = new JdbcTemplate(new DriverManagerDataSource(postgres.jdbcUrl()));
        server.execute("create database " + name);
        this.sql = new JdbcTemplate(pool(1));
    }

    /** A server that counts statements. It writes no full-page images: how many there are depends on the last checkpoint. */
    public static PostgresServer server() {
        PostgresServer postgres = PostgresServer.start();
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(postgres.jdbcUrl()));
        server.execute("alter system set full_page_writes = off");
        server.execute("alter system set shared_preload_libraries = 'pg_stat_statements'");
        postgres.restart();
        server.execute("create extension pg_stat_statements");
        return postgres;
    }

    /** Creates the tables of store and outbox. */
    public void createTables() {
        new ResourceDatabasePopulator(new ByteArrayResource(JdbcSchema.of(
                                Objects.requireNonNull(sql.getDataSource()), JdbcStoreOptions.DEFAULT_TABLE_PREFIX)
                        .script()
                        .getBytes(StandardCharsets.UTF_8)))
                .execute(Objects.requireNonNull(sql.getDataSource()));
    }

    /** A pool of its own, closed with the database. */
    public DataSource pool(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    /** On a connection beside the pools. */
    public JdbcTemplate sql() {
        return sql;
    }

    /** Counted since the beginning; those of transactions that only read, too. */
    public Costs costs() throws InterruptedException {
        closeConnections();
        Long statements = Objects.requireNonNull(server.queryForObject(STATEMENTS, Long.class, name));
        return Objects.requireNonNull(server.queryForObject(
                "select xact_commit, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') from pg_stat_database where datname = ?",
                (row, number) -> new Costs(statements, row.getLong(1), row.getLong(2)),
                name));
    }

    /** The server learns of a connection's commits when it is closed, or up to ten seconds late. */
    private void closeConnections() throws InterruptedException {
        String now = Objects.requireNonNull(server.queryForObject("select clock_timestamp()::text", String.class));
        pools.forEach(pool -> pool.getHikariPoolMXBean().softEvictConnections());
        for (int look = 0; look < LOOKS && connectionsOlderThan(now) > 0; look++) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private long connectionsOlderThan(String time) {
        Long count = server.queryForObject(
                "select count(*) from pg_stat_activity where datname = ? and backend_start < ?::timestamptz",
                Long.class,
                name,
                time);
        return count == null ? 0 : count;
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        server.execute("drop database %s with (force)".formatted(name));
    }

    /**
     * What the database had to do.
     *
     * @param statements without begin, commit and rollback
     * @param walBytes of the whole server
     */
    public record Costs(long statements, long commits, long walBytes) {

        public Costs since(Costs before) {
            return new Costs(statements - before.statements, commits - before.commits, walBytes - before.walBytes);
        }

        /** @param unit what they are divided by, such as a message */
        public Map<String, Double> per(String unit, int many) {
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put(statementsPer(unit), (double) statements / many);
            figures.put("commits per " + unit, (double) commits / many);
            figures.put(walPer(unit), (double) walBytes / many);
            return figures;
        }

        public static String statementsPer(String unit) {
            return "statements per " + unit;
        }

        public static String walPer(String unit) {
            return "WAL per %s, bytes".formatted(unit);
        }
    }
}
