// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.TablePrefix;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.test.database.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * While somebody holds a transaction open, rows that were deleted since it began stay in tables and indexes. Nobody may read through all of
 * them time and again. Counted is what the server has read, on a server of the test's own.
 */
@Timeout(180)
class PostgresHeldTransactionIT {

    private static final int MESSAGES = 4_000;
    private static final int IN_ONE_TRANSACTION = 10;
    /** Index entries and rows for each message. Each statement that begins with the oldest row would read a thousand and more. */
    private static final int MOST_READ = 8;

    private static final String NODE = "shop";
    private static final String TESTED = "tested";

    private final PostgresServer server = PostgresServer.start();
    private final HikariDataSource others = pool("others");
    private Connection held;

    private HikariDataSource pool(String name) {
        HikariConfig config = new HikariConfig();
        config.addDataSourceProperty("ApplicationName", name);
        config.setJdbcUrl(server.jdbcUrl());
        config.setMaximumPoolSize(10);
        return new HikariDataSource(config);
    }

    @BeforeEach
    void hold() throws SQLException {
        TestDatabase.createTable(others, TablePrefix.DEFAULT);
        JdbcTemplate sql = new JdbcTemplate(others);
        // so that PostgreSQL believes that it is always empty
        sql.execute(
                "insert into safebunny_outbox (node, correlation_id, message_id, message, attempts, created_at, due_at)"
                        + " values ('other', '', '', '', 0, now(), now())");
        sql.execute("delete from safebunny_outbox");
        sql.execute("vacuum analyze safebunny_outbox");
        held = others.getConnection();
        held.setAutoCommit(false);
        held.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        held.createStatement().execute("select count(*) from safebunny_outbox");
    }

    @AfterEach
    void close() throws SQLException {
        held.rollback();
        others.close();
        server.close();
    }

    private long read(String table) {
        Long read = new JdbcTemplate(others).queryForObject("""
                        select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = ?)
                            + (select seq_tup_read from pg_stat_user_tables where relname = ?)""", Long.class, table, table);
        return read == null ? 0 : read;
    }

    @Test
    void whatTheOutboxHasSentIsNotReadAgainAndAgain() {
        long before = read("safebunny_outbox");
        try (HikariDataSource pool = pool(TESTED);
                OutboxUnderTest instance = new OutboxUnderTest(
                        pool,
                        NODE,
                        new RecordingSender(),
                        // one look, at the start: how many there are would depend on how fast the machine is
                        options -> options.withRelay(Duration.ofMinutes(5), Duration.ofMinutes(5)))) {
            instance.started();
            for (int i = 0; i < MESSAGES; i += IN_ONE_TRANSACTION) {
                int first = i;
                instance.transaction.executeWithoutResult(status -> IntStream.range(first, first + IN_ONE_TRANSACTION)
                        .forEach(number -> instance.publish("c" + number, "m" + number)));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> instance.sender.ids().size() == MESSAGES);
        }
        awaitEndOfSessions();
        assertThat((read("safebunny_outbox") - before) / MESSAGES).isLessThan(MOST_READ);
    }

    @Test
    void expiredRecordsThatAreGoneAreNotReadAgainAndAgain() {
        new JdbcTemplate(others).update("""
                        insert into safebunny_message (node, correlation_id, message_id, state, owner, version, attempt, takeovers,
                            lease_ms, fingerprint, format, changed_at)
                        select ?, 'c', 'm' || n, 'DISPATCHED', '', 1, 1, 0, 0, 0, 1, now() - interval '1 day' + n * interval '1 second'
                        from generate_series(1, ?) n""", NODE, MESSAGES);
        long before = read("safebunny_message");
        try (HikariDataSource pool = pool(TESTED)) {
            JdbcMessageStore store = new JdbcMessageStore(pool, JdbcStoreOptions.of(NODE, Duration.ofHours(1)));
            int removed = 0;
            for (int gone = MESSAGES; gone > 0; removed += gone) {
                gone = store.removeExpired(100);
            }
            assertThat(removed).isEqualTo(MESSAGES);
        }
        awaitEndOfSessions();
        assertThat((read("safebunny_message") - before) / MESSAGES).isLessThan(MOST_READ);
    }

    /** A session tells what it has read when it ends, at the latest. */
    private void awaitEndOfSessions() {
        JdbcTemplate sql = new JdbcTemplate(others);
        await().until(() -> sql.queryForObject(
                "select count(*) = 0 from pg_stat_activity where application_name = ?", Boolean.class, TESTED));
    }
}
