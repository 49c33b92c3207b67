// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** Somebody waits for the handler's transaction, and the result of its step waits behind that somebody: no database notices. */
@Timeout(60)
abstract class LockedStepsRules {

    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private final List<String> charges = new CopyOnWriteArrayList<>();
    private final JdbcTemplate handlers = new JdbcTemplate(database().pool());
    private final JdbcTemplate others = new JdbcTemplate(database().anotherPool());
    private @Nullable Future<?> somebody;

    @SuppressWarnings("NullAway.Init")
    private StepBench bench;

    abstract TestDatabase database();

    /** SQL that keeps others from storing steps until its transaction ends. */
    abstract String locksSteps();

    /** SQL that counts those who wait for a lock. */
    abstract String waiting();

    @BeforeEach
    void open() {
        bench = new StepBench(database());
        others.execute("create table if not exists locked_stock (id integer primary key, pieces integer not null)");
        others.update("delete from locked_stock");
        others.update("insert into locked_stock values (1, 7)");
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        bench.close();
    }

    private void disturbedBy(Runnable action) {
        somebody = threads.submit(action);
        Awaitility.await().until(() -> others.queryForObject(waiting(), Integer.class), count -> count > 0);
    }

    private void requireSomebodyGotThrough() throws Exception {
        Objects.requireNonNull(somebody).get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    }

    private String charge(Handling handling, Runnable disturbance) {
        return handling.once("charge", String.class, () -> {
            charges.add("charge");
            disturbance.run();
            return "receipt-" + charges.size();
        });
    }

    @Test
    void aStepIsStoredWhileSomebodyWaitsForTheTableOfMessages() throws Exception {
        bench.deliver(bench.first, handling -> {
            assertThat(charge(
                            handling,
                            () -> disturbedBy(
                                    () -> others.execute("alter table safebunny_message add column locked integer"))))
                    .isEqualTo("receipt-1");
            assertThat(handling.once("post", String.class, () -> "posted")).isEqualTo("posted");
        });

        requireSomebodyGotThrough();
        others.execute("alter table safebunny_message drop column locked");
        assertThat(bench.judged).isEmpty();
    }

    private void lockStepsAndWaitForTheHandler() {
        others.execute((ConnectionCallback<Boolean>) connection -> {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                lockStepsAndWaitForTheHandler(connection);
                connection.commit();
            } finally {
                connection.setAutoCommit(before);
            }
            return true;
        });
    }

    private void lockStepsAndWaitForTheHandler(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(locksSteps());
            int updated = statement.executeUpdate("update locked_stock set pieces = pieces - 1 where id = 1");
            assertThat(updated).isOne();
        }
    }

    @Test
    void aStepThatItsOwnTransactionHoldsUpIsStoredAfterTheRollbackAndNotRepeated() throws Exception {
        long began = System.nanoTime();
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(bench.first, handling -> {
                    handlers.update("update locked_stock set pieces = pieces - 2 where id = 1");
                    charge(handling, () -> disturbedBy(this::lockStepsAndWaitForTheHandler));
                }));
        requireSomebodyGotThrough();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONGEST);
        assertThat(bench.judged).singleElement().satisfies(failure -> assertThat(
                        ((NotHandledException) failure).isTrouble())
                .isFalse());

        bench.deliver(bench.second, handling -> {
            handlers.update("update locked_stock set pieces = pieces - 2 where id = 1");
            assertThat(charge(handling, () -> {})).isEqualTo("receipt-1");
        });

        assertThat(charges).hasSize(1);
        assertThat(others.queryForObject("select pieces from locked_stock", Integer.class))
                .isEqualTo(4);
    }

    /** What is caught is the end of this handling all the same. */
    @Test
    void aHandlerThatCatchesTheFailureBeginsNoFurtherStep() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(bench.first, handling -> {
                    handlers.update("update locked_stock set pieces = pieces - 2 where id = 1");
                    assertThatExceptionOfType(NotHandledException.class)
                            .isThrownBy(() -> charge(handling, () -> disturbedBy(this::lockStepsAndWaitForTheHandler)));
                    handling.once("post", String.class, () -> {
                        charges.add("post");
                        return "posted";
                    });
                }));

        assertThat(charges).containsExactly("charge");
    }
}
