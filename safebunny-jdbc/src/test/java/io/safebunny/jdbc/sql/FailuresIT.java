// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each driver throws when somebody else holds the row, and when the session is gone: only the latter is an outage. */
@Tag("once")
@Timeout(300)
class FailuresIT {

    private static final String BUMP = "update busy set n = n + 1 where id = ";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Connection> connections = new ArrayList<>();

    /** A driver and a server. */
    enum Access {
        POSTGRESQL(TestDatabase.POSTGRESQL, "set lock_timeout = 500"),
        MYSQL(TestDatabase.MYSQL, "set innodb_lock_wait_timeout = 1"),
        MARIADB(TestDatabase.MARIADB, "set innodb_lock_wait_timeout = 1"),
        H2(TestDatabase.H2, "set lock_timeout 500"),
        MARIADBS_DRIVER_ON_MYSQL(TestDatabase.MYSQL, "set innodb_lock_wait_timeout = 1") {
            @Override
            String url() {
                return super.url().replace("jdbc:mysql:", "jdbc:mariadb:") + "&allowPublicKeyRetrieval=true";
            }
        },
        MYSQLS_DRIVER_ON_MARIADB(TestDatabase.MARIADB, "set innodb_lock_wait_timeout = 1") {
            @Override
            String url() {
                return super.url().replace("jdbc:mariadb:", "jdbc:mysql:");
            }
        };

        private final TestDatabase database;
        private final String impatience;

        /** @param impatience SQL with which a session waits for locks no longer than a second */
        Access(TestDatabase database, String impatience) {
            this.database = database;
            this.impatience = impatience;
        }

        String url() {
            return database.url();
        }
    }

    @AfterEach
    void close() throws SQLException {
        threads.shutdownNow();
        for (Connection connection : connections) {
            connection.close();
        }
    }

    /** A transaction of its own. */
    private Connection begin(Access access) throws SQLException {
        Connection connection = DriverManager.getConnection(access.url());
        connections.add(connection);
        connection.setAutoCommit(false);
        return connection;
    }

    /** One that holds row 1 of a new table. */
    private Connection holder(Access access) throws SQLException {
        Connection connection = begin(access);
        execute(connection, "drop table if exists busy");
        execute(connection, "create table busy (id int primary key, n int not null)");
        execute(connection, "insert into busy values (1, 0), (2, 0)");
        connection.commit();
        execute(connection, BUMP + 1);
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(sql);
        }
    }

    private static Failures.@Nullable Kind kind(Callable<?> work) {
        try {
            Object unused = work.call();
            return null;
        } catch (SQLException e) {
            return Failures.kindOf(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Callable<Boolean> bump(Connection connection, int id) {
        return () -> {
            execute(connection, BUMP + id);
            return true;
        };
    }

    /** H2 cancels no statement that waits for a lock. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void aStatementThatItsTimeOutCancels(Access access) throws Exception {
        Connection holder = holder(access);
        try (Statement statement = begin(access).createStatement()) {
            statement.setQueryTimeout(1);

            assertThat(kind(() -> statement.executeUpdate(BUMP + 1))).isEqualTo(Failures.Kind.BUSY);
        }
        holder.rollback();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void aStatementThatSomebodyCancels(Access access) throws Exception {
        Connection holder = holder(access);
        try (Statement statement = begin(access).createStatement()) {
            Future<Failures.Kind> kind = threads.submit(() -> kind(() -> statement.executeUpdate(BUMP + 1)));
            Awaitility.await().until(() -> {
                statement.cancel();
                return kind.isDone();
            });

            assertThat(kind.get()).isEqualTo(Failures.Kind.BUSY);
        }
        holder.rollback();
    }

    @ParameterizedTest
    @EnumSource
    void aLockThatWasWaitedForInVain(Access access) throws Exception {
        Connection holder = holder(access);
        Connection waiting = begin(access);
        execute(waiting, access.impatience);

        assertThat(kind(bump(waiting, 1))).isEqualTo(Failures.Kind.BUSY);
        holder.rollback();
    }

    @ParameterizedTest
    @EnumSource
    void aLockThatIsNotWaitedFor(Access access) throws Exception {
        Connection holder = holder(access);
        try (Statement statement = begin(access).createStatement()) {
            assertThat(kind(() -> statement.executeQuery("select n from busy where id = 1 for update nowait")))
                    .isEqualTo(Failures.Kind.BUSY);
        }
        holder.rollback();
    }

    @ParameterizedTest
    @EnumSource
    void theVictimOfADeadlock(Access access) throws Exception {
        Connection one = holder(access);
        Connection two = begin(access);
        execute(two, BUMP + 2);
        Future<Failures.Kind> kindOfOne = threads.submit(() -> ended(one, kind(bump(one, 2))));
        Failures.Kind kindOfTwo = ended(two, kind(bump(two, 1)));

        assertThat(kindOfOne.get() == null ? kindOfTwo : kindOfOne.get()).isEqualTo(Failures.Kind.BUSY);
    }

    private static Failures.@Nullable Kind ended(Connection connection, Failures.@Nullable Kind kind)
            throws SQLException {
        connection.rollback();
        return kind;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void aSessionThatIsEndedWhileItIsIdle(Access access) throws Exception {
        Connection ended = begin(access);
        boolean isPostgres = access == Access.POSTGRESQL;
        String session = isPostgres ? "pg_backend_pid()" : "connection_id()";
        long number;
        try (Statement statement = ended.createStatement();
                ResultSet row = statement.executeQuery("select " + session)) {
            assertThat(row.next()).isTrue();
            number = row.getLong(1);
        }
        execute(begin(access), (isPostgres ? "select pg_terminate_backend(%d)" : "kill %d").formatted(number));

        assertThat(Objects.requireNonNull(kind(() -> {
                    execute(ended, "select 1");
                    return true;
                })))
                .isEqualTo(Failures.Kind.CONNECTION);
    }
}
