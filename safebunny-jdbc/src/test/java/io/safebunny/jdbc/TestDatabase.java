// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.test.database.MariaDbServer;
import io.safebunny.test.database.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The databases that tests run on: one server of each per virtual machine, started when it is first asked for. */
@SuppressWarnings("ImmutableEnumChecker") // started when first asked for
enum TestDatabase {
    H2(
            "update safebunny_message set changed_at = dateadd(millisecond, -%d, changed_at)",
            "session_id()", "") { // it ends sessions together with the database
        @Override
        void endSessionOfThisThread() {
            new JdbcTemplate(pool()).execute((Connection connection) -> {
                connection.unwrap(Connection.class).rollback();
                return true;
            });
        }

        @Override
        String start() {
            return "jdbc:h2:mem:safebunny;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
        }
    },
    POSTGRESQL(
            "update safebunny_message set changed_at = changed_at - %d * interval '1 millisecond'",
            "pg_backend_pid()", "select pg_terminate_backend(%d)") {
        @Override
        String start() {
            return PostgresServer.start().jdbcUrl();
        }
    },
    MARIADB(
            "update safebunny_message set changed_at = changed_at - interval (%d * 1000) microsecond",
            "connection_id()", "kill %d") {
        @Override
        String start() {
            return MariaDbServer.start().jdbcUrl();
        }
    };

    private final String age;
    private final String session;
    private final String end;
    private @Nullable HikariDataSource first;
    private @Nullable HikariDataSource second;
    private @Nullable String url;

    /** @param end ends the session of this number */
    TestDatabase(String age, String session, String end) {
        this.age = age;
        this.session = session;
        this.end = end;
    }

    /** Its JDBC URL, once it is ready. */
    abstract String start();

    synchronized String url() {
        if (url == null) {
            url = start();
        }
        return url;
    }

    /** A pool with the table in its database. */
    synchronized HikariDataSource pool() {
        if (first == null) {
            first = newPool(config -> {});
            createTable(first, JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
        }
        return first;
    }

    /** As another process has it. */
    synchronized HikariDataSource anotherPool() {
        pool();
        if (second == null) {
            second = newPool(config -> {});
        }
        return second;
    }

    HikariDataSource newPool(Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(1);
        settings.accept(config);
        return new HikariDataSource(config);
    }

    /** Over a server of one's own, with the table; notices within a second that the server is gone. */
    static HikariDataSource impatientPool(PostgresServer server, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0); // one made just now would be taken for alive
        config.setConnectionTimeout(1_000);
        config.setValidationTimeout(500);
        HikariDataSource pool = new HikariDataSource(config);
        createTable(pool, JdbcStoreOptions.DEFAULT_TABLE_PREFIX);
        return pool;
    }

    static void createTable(HikariDataSource pool, String prefix) {
        String script = JdbcSchema.of(pool, prefix).script();
        new ResourceDatabasePopulator(new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8))).execute(pool);
    }

    /** Moves the time stamps of all records back. */
    void age(Duration duration) {
        new JdbcTemplate(pool()).update(age.formatted(duration.toMillis()));
    }

    /** The one that a transaction holds on {@link #pool()}, without telling it. */
    void endSessionOfThisThread() {
        Long number = new JdbcTemplate(pool()).queryForObject("select " + session, Long.class);
        new JdbcTemplate(anotherPool()).execute(end.formatted(number));
    }

    static String newNode() {
        return "node-" + UUID.randomUUID();
    }
}
