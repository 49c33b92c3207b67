// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.test.database.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** An empty database of its own on a server, with pools of connections. For one thread; the pools are thread-safe. */
public final class FreshDatabase implements AutoCloseable {

    private static final int LOOKS = 50;
    private static final long LOOK_MILLIS = 10;

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

    /** Makes costs comparable: how many full-page images are written depends on the last checkpoint. */
    public static void withoutFullPageImages(PostgresServer postgres) {
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(postgres.jdbcUrl()));
        server.execute("alter system set full_page_writes = off");
        server.execute("select pg_reload_conf()");
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
        return Objects.requireNonNull(server.queryForObject(
                "select xact_commit, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') from pg_stat_database where datname = ?",
                (row, number) -> new Costs(row.getLong(1), row.getLong(2)),
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
     * @param walBytes of the whole server
     */
    public record Costs(long commits, long walBytes) {

        public Costs since(Costs before) {
            return new Costs(commits - before.commits, walBytes - before.walBytes);
        }
    }
}
