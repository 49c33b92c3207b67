// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What people look for ends in time, blocks nobody, and does not use up the memory, with each database. */
class SearchIT {

    private static final Duration ENOUGH = Duration.ofSeconds(20);

    private final String node = TestDatabase.newNode();
    private final String correlationId = UUID.randomUUID().toString();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    private JdbcMessageStore store(HikariDataSource pool) {
        return new JdbcMessageStore(
                pool, JdbcStoreOptions.of(node, Duration.ofHours(1)).withTimeout(Duration.ofMinutes(10)));
    }

    private MessageRecord create(MessageStore store, String messageId) {
        return store.create(Records.claim(new RecordKey(correlationId, messageId), "a"));
    }

    // ---- time

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    @Timeout(30)
    void aSearchEndsInTimeAndKeepsOthersFromBeginningOne(TestDatabase database) throws Exception {
        MessageStore store = store(database.pool());
        try (Connection other = database.anotherPool().getConnection();
                Statement lock = other.createStatement()) {
            lock(database, other, lock);

            endsInTime(store);

            lock.execute(database == TestDatabase.POSTGRESQL ? "rollback" : "unlock tables");
            other.setAutoCommit(true);
        }
        assertThat(store.findCorrelationIds("m", 10, ENOUGH)).isEmpty();
    }

    private static void lock(TestDatabase database, Connection other, Statement lock) throws Exception {
        if (database == TestDatabase.POSTGRESQL) {
            other.setAutoCommit(false);
            lock.execute("lock table safebunny_message in access exclusive mode");
        } else {
            lock.execute("lock tables safebunny_message write");
        }
    }

    /** A table cannot be locked against readers there, so one takes for ever to be read. */
    @Test
    @Timeout(30)
    void aSearchEndsInTimeInH2AndLeavesNoLimitBehind() throws Exception {
        TestDatabase database = TestDatabase.H2;
        JdbcTemplate sql = new JdbcTemplate(database.pool());
        for (String table : List.of("step", "companion")) {
            sql.execute("create view slow_%1$s as select * from safebunny_%1$s".formatted(table));
        }
        sql.execute(
                "create view slow_message as select m.* from safebunny_message m, system_range(1, 1000000000000) x where mod(x.x, 2) = 2");
        create(store(database.pool()), "m");
        try (HikariDataSource pool = database.newPool(config -> config.setMaximumPoolSize(1))) {
            MessageStore store = new JdbcMessageStore(
                    pool,
                    JdbcStoreOptions.of(node, Duration.ofHours(1))
                            .withTablePrefix("slow_")
                            .withTimeout(Duration.ofMinutes(10)));
            int before = limit(pool);

            endsInTime(store);

            assertThat(limit(pool)).isEqualTo(before);
        } finally {
            for (String table : List.of("step", "companion", "message")) {
                sql.execute("drop view slow_" + table);
            }
        }
    }

    private static int limit(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            return statement.getQueryTimeout();
        }
    }

    /** Of two searches that cannot end, one is refused at once, and the other when its time has passed. */
    private void endsInTime(MessageStore store) throws Exception {
        Callable<List<String>> search = () -> store.findCorrelationIds("m", 10, Duration.ofMillis(900));
        long before = System.nanoTime();
        List<Future<List<String>>> both = threads.invokeAll(List.of(search, search));

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
        List<String> texts = new ArrayList<>();
        for (Future<List<String>> one : both) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(one::get)
                    .withCauseInstanceOf(StoreUnavailableException.class)
                    .satisfies(e -> texts.add(
                            String.valueOf(Objects.requireNonNull(e.getCause()).getMessage())));
        }
        assertThat(texts)
                .anySatisfy(text -> assertThat(text)
                        .contains("could not be searched for a message id [message_id=m, at-most=PT0.9S,")
                        .endsWith("Search by the correlation id, or ask again."))
                .anySatisfy(text -> assertThat(text)
                        .contains("[message_id=m]: another such search is running")
                        .endsWith("Search by the correlation id, or ask again."));
    }

    // ---- locks

    /** At SERIALIZABLE without auto-commit, MySQL and MariaDB would lock what is read, and wait for who has it. */
    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void aSearchWaitsForNoWriter(TestDatabase database) throws Exception {
        HikariDataSource usual = database.pool();
        try (HikariDataSource strict = database.newPool(config -> {
            config.setMaximumPoolSize(2);
            config.setAutoCommit(false);
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        })) {
            MessageStore store = new JdbcMessageStore(
                    strict, JdbcStoreOptions.of(node, Duration.ofHours(1)).withTimeout(Duration.ofSeconds(5)));
            MessageRecord record = create(store(usual), "m-" + correlationId);
            try (Connection writer = database.anotherPool().getConnection();
                    Statement statement = writer.createStatement()) {
                writer.setAutoCommit(false);
                statement.executeUpdate("update safebunny_message set owner = 'b' where node = '" + node + "'");

                assertThat(store.findCorrelated(correlationId, 10))
                        .extracting(dated -> dated.record().owner())
                        .containsExactly("a");
                assertThat(store.findCorrelationIds(record.key().messageId(), 10, ENOUGH))
                        .containsExactly(correlationId);
                writer.rollback();
                writer.setAutoCommit(true);
            }
        }
    }

    // ---- how much

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void whatCannotBeReadDoesNotCount(TestDatabase database) {
        MessageStore store = store(database.pool());
        for (int i = 10; i < 60; i++) {
            create(store, "m" + i);
        }
        JdbcTemplate sql = new JdbcTemplate(database.pool());
        sql.update("update safebunny_message set format = 99 where node = ? and message_id = 'm12'", node);
        sql.update("update safebunny_message set state = 'FUTURE' where node = ? and message_id < 'm12'", node);

        assertThat(found(store, 7)).containsExactly("m13", "m14", "m15", "m16", "m17", "m18", "m19");
        assertThat(found(store, 47)).hasSize(47).endsWith("m59");
        assertThat(found(store, 1_000)).isEqualTo(found(store, 47));
    }

    private List<String> found(MessageStore store, int limit) {
        return store.findCorrelated(correlationId, limit).stream()
                .map(dated -> dated.record().key().messageId())
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(120)
    void largeRecordsEndASearch(TestDatabase database) {
        MessageStore store = store(database.pool());
        for (int i = 10; i < 31; i++) {
            MessageRecord record = create(store, "m" + i);
            store.replace(record.withSteps(Map.of("step", "\"" + "x".repeat(1_000_000) + "\""))
                    .next(RecordState.RELEASED));
        }

        List<DatedRecord> found = store.findCorrelated(correlationId, 200);

        assertThat(found).hasSize(20);
        assertThat(DatedRecord.holdMuch(found)).isTrue();
        List<DatedRecord> few = store.findCorrelated(correlationId, 5);
        assertThat(few).hasSize(5);
        assertThat(DatedRecord.holdMuch(few)).isFalse();
    }
}
