// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.store.StoreUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Creates missing tables and indexes. Queries the catalogue first, because even {@code create index if not exists} waits for every
 * transaction that has written to the table, and all others then wait behind it. Several instances may run it concurrently.
 */
public final class SchemaCreation {

    /** How long a statement waits for its lock; other transactions wait behind it meanwhile. */
    private static final int LOCK_WAIT_SECONDS = 2;

    private static final int MOST_TRIES = 15;

    private final DataSource dataSource;
    private final Dialect dialect;
    private final JdbcSchema schema;

    private SchemaCreation(DataSource dataSource, Dialect dialect, JdbcSchema schema) {
        this.dataSource = dataSource;
        this.dialect = dialect;
        this.schema = schema;
    }

    /**
     * Runs the statements of the script whose table or index is missing.
     *
     * @throws ConfigurationException SB-1422 if a lock is not available within half a minute, SB-1423 if the database refuses
     * @throws StoreUnavailableException when the database does not answer
     */
    public static void run(DataSource dataSource, JdbcSchema schema) {
        DataSource target = JdbcSchema.unwrap(dataSource);
        new SchemaCreation(target, Database.of(target).dialect(), schema).run();
    }

    private void run() {
        int tries = 1;
        @Nullable SchemaStatement refused = null;
        for (SchemaStatement failed = createMissing(tries, refused);
                failed != null;
                failed = createMissing(++tries, refused)) {
            refused = failed;
        }
    }

    /** @return the statement that failed, after which everything must be checked again; {@code null} when nothing is missing any more */
    private @Nullable SchemaStatement createMissing(int tries, @Nullable SchemaStatement failedBefore) {
        for (SchemaStatement statement : SchemaStatement.of(schema.script())) {
            try (Connection connection = dataSource.getConnection()) {
                if (!exists(connection, statement)) {
                    execute(connection, statement);
                }
            } catch (SQLException e) {
                requireAnotherTry(statement, e, tries, statement.equals(failedBefore));
                return statement;
            }
        }
        return null;
    }

    /** Retries a lock timeout; retries other refusals once, as another instance may have created the same thing at that moment. */
    private void requireAnotherTry(SchemaStatement statement, SQLException e, int tries, boolean again) {
        Failures.Kind kind = Failures.kindOf(e);
        String what = "%s %s".formatted(statement.kind(), statement.qualifiedName());
        if (kind == Failures.Kind.CONNECTION) {
            throw new Failures(statement.qualifiedName()).translate("The %s could not be created".formatted(what), e);
        }
        if (kind == Failures.Kind.BUSY) {
            if (tries >= MOST_TRIES) {
                throw new ConfigurationException(
                        "SB-1422",
                        "The %s could not be created in time [tries=%s, SQLState=%s]: open transactions that have used its table do not end, and others would have to wait behind this start."
                                .formatted(what, tries, e.getSQLState()),
                        "Either end these transactions (PostgreSQL: pg_stat_activity, MySQL and MariaDB: show processlist) or create it with the script %s in safebunny-jdbc.jar at a quiet time, then start again."
                                .formatted(schema.location()),
                        e);
            }
        } else if (again) {
            throw new ConfigurationException(
                    "SB-1423",
                    "The %s is missing, and the database refuses to create it [SQLState=%s, error=%s]. The cause tells why."
                            .formatted(what, e.getSQLState(), e.getErrorCode()),
                    "Run the script %s in safebunny-jdbc.jar as a user who may create tables, for example as a Flyway migration, and set safebunny.store.jdbc.initialize-schema=never."
                            .formatted(schema.location()),
                    e);
        }
    }

    private boolean exists(Connection connection, SchemaStatement statement) throws SQLException {
        boolean isIndex = statement.kind().equals("index");
        try (PreparedStatement query = connection.prepareStatement(catalogue(isIndex))) {
            if (dialect == Dialect.POSTGRESQL) {
                query.setString(1, statement.qualifiedName());
            } else {
                query.setString(1, statement.schema());
                query.setString(2, statement.name());
            }
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    /** The query for existence, which takes no locks. */
    private String catalogue(boolean isIndex) {
        return switch (dialect) {
            case POSTGRESQL -> "select to_regclass(?) is not null";
            case MYSQL, MARIADB ->
                "select count(*) > 0 from information_schema.%s where table_schema = coalesce(?, database()) and %s_name = ?"
                        .formatted(isIndex ? "statistics" : "tables", isIndex ? "index" : "table");
            case H2 ->
                "select count(*) > 0 from information_schema.%1$ss where upper(%1$s_schema) = upper(coalesce(cast(? as varchar), schema())) and upper(%1$s_name) = upper(cast(? as varchar))"
                        .formatted(isIndex ? "index" : "table")
                        .replace("indexs", "indexes");
        };
    }

    private void execute(Connection connection, SchemaStatement statement) throws SQLException {
        switch (dialect) {
            case POSTGRESQL -> executeInPostgres(connection, statement.sql());
            case MYSQL, MARIADB -> executeInMySql(connection, statement.sql());
            case H2 -> execute(connection, statement.sql()); // H2 limits the wait by its LOCK_TIMEOUT
        }
    }

    private static void executeInPostgres(Connection connection, String sql) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            execute(connection, "set local lock_timeout = '%ds'".formatted(LOCK_WAIT_SECONDS));
            execute(connection, sql);
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(autoCommit);
        }
    }

    private static void executeInMySql(Connection connection, String sql) throws SQLException {
        long before;
        try (Statement query = connection.createStatement();
                ResultSet rows = query.executeQuery("select @@session.lock_wait_timeout")) {
            before = rows.next() ? rows.getLong(1) : LOCK_WAIT_SECONDS;
        }
        execute(connection, "set session lock_wait_timeout = " + LOCK_WAIT_SECONDS);
        try {
            execute(connection, sql);
        } finally {
            execute(connection, "set session lock_wait_timeout = " + before);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(sql);
        }
    }
}
