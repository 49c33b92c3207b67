// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/** A step and its undo where the claim is a transaction: nobody sees a step that is in work. */
@Timeout(60)
abstract class UndoFenceRules {

    private static final String STEP = "a-step";
    private static final String UNDO = "an-undo";

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String saga = UUID.randomUUID().toString();
    private final String node = TestDatabase.newNode();
    /** What was done, committed or not. */
    private final List<String> done = new CopyOnWriteArrayList<>();

    private final CountDownLatch stepBegun = new CountDownLatch(1);
    private final CountDownLatch undoComes = new CountDownLatch(1);

    @SuppressWarnings("NullAway.Init")
    private TransactionalJdbcMessageStore store;

    @SuppressWarnings("NullAway.Init")
    private Deduplication instance;

    @SuppressWarnings("NullAway.Init")
    private JdbcTemplate sql;

    abstract TestDatabase database();

    @BeforeEach
    void open() {
        sql = new JdbcTemplate(database().pool());
        sql.execute("create table if not exists effect (saga varchar(100), name varchar(100))");
        store = store(database().pool(), Duration.ofSeconds(15));
        instance = instance(store);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        timeline.close();
    }

    private TransactionalJdbcMessageStore store(HikariDataSource pool, Duration timeout) {
        return Instances.store(
                pool, JdbcStoreOptions.of(node, Duration.ofDays(7)).withTimeout(timeout));
    }

    private Deduplication instance(TransactionalJdbcMessageStore over) {
        return Instances.over(over, timeline, 5);
    }

    /** How the delivery ends then. */
    @FunctionalInterface
    private interface IfItFails extends Function<Throwable, Failed> {}

    private static Failed retried(Throwable failure) {
        return Ending.retried(Duration.ZERO, failure);
    }

    /** What a handler does besides its effect. */
    @FunctionalInterface
    private interface Handler {
        void handle() throws Exception;
    }

    private final class Effect implements Instances.Handler {

        private final String name;
        private final Handler handler;

        Effect(String name, Handler handler) {
            this.name = name;
            this.handler = handler;
        }

        @Override
        public void handle(Handling handling) throws Exception {
            handling.attempt(() -> {
                sql.update("insert into effect values (?, ?)", saga, name);
                done.add(name);
                handler.handle();
            });
        }
    }

    private void step(Handler handler) throws Exception {
        step(0, 0, UndoFenceRules::retried, handler);
    }

    private void step(int attempt, long poisonVersion, IfItFails ifItFails, Handler handler) throws Exception {
        deliver(instance, message(STEP, attempt, poisonVersion, null), ifItFails, new Effect("step", handler));
    }

    private void undo(Deduplication by) throws Exception {
        undo(by, () -> {});
    }

    private void undo(Deduplication by, Handler handler) throws Exception {
        deliver(by, message(UNDO, 0, 0, STEP), UndoFenceRules::retried, new Effect("undo", handler));
    }

    /** Does not wait long for the locks of others. In H2 the timeout of a statement does not end that wait. */
    private void undoImpatiently() throws Exception {
        try (HikariDataSource pool = database().newPool(config -> {
            if (database() == TestDatabase.H2) {
                config.setConnectionInitSql("set lock_timeout 200");
            }
        })) {
            undo(instance(store(pool, Duration.ofSeconds(1))));
        }
    }

    private static void deliver(Deduplication to, Envelope message, IfItFails ifItFails, Instances.Handler action)
            throws Exception {
        Instances.deliver(
                to,
                new Handling(new CurrentHandling(), message),
                failure -> failure instanceof NotHandledException e ? Returned.because(e) : ifItFails.apply(failure),
                action);
    }

    private Envelope message(String id, int attempt, long poisonVersion, @Nullable String undoes) {
        return new Envelope(
                id,
                saga,
                "Order",
                "shop",
                1,
                null,
                attempt,
                poisonVersion,
                timeline.now().toEpochMilli(),
                undoes,
                Map.of(),
                Map.of(),
                "application/json",
                id.getBytes(StandardCharsets.UTF_8));
    }

    private MessageRecord stored(String messageId) {
        return Objects.requireNonNull(store.find(new RecordKey(saga, messageId)));
    }

    private List<String> committed() {
        return sql.queryForList("select name from effect where saga = ?", String.class, saga);
    }

    private Future<?> inThread(Handler action) {
        Callable<Boolean> call = () -> {
            action.handle();
            return true;
        };
        return threads.submit(call);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private void fail(int attempt, IfItFails becauseOf) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> step(attempt, 0, becauseOf, () -> {
                    throw new IOException("failed");
                }));
    }

    @Test
    void aStepThatNeverCameIsBarredBeforeItsUndoRuns() throws Exception {
        undo(instance, () -> assertThat(stored(STEP).state()).isEqualTo(RecordState.UNDONE));
        assertThat(stored(STEP).state()).isEqualTo(RecordState.UNDONE);
        assertThat(stored(UNDO).state()).isEqualTo(RecordState.DISPATCHED);
        step(() -> {});
        step(1, 0, UndoFenceRules::retried, () -> {});

        assertThat(done).containsExactly("undo");
        assertThat(committed()).containsExactly("undo");
    }

    /** Its claim went with its transaction; what it did outside the database did not. */
    @Test
    void theUndoOfAStepWhoseProcessEndedRuns() throws Exception {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> step(() -> {
                    done.add("outside");
                    throw NotHandledException.later("nothing is recorded, as if the process ended", Duration.ZERO);
                }));
        assertThat(store.find(new RecordKey(saga, STEP))).isNull();
        undo(instance);
        step(() -> {});

        assertThat(done).containsExactly("step", "outside", "undo");
        assertThat(stored(STEP).state()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void aStepThatNeverCameStaysBarredWhenItsUndoIsRolledBack() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> undo(instance, () -> {
                    throw new IOException("failed");
                }));
        step(() -> {});
        undo(instance);

        assertThat(committed()).containsExactly("undo");
        assertThat(done).containsExactly("undo", "undo");
    }

    /** The undo sees no record, and finds one when it comes to bar the step. */
    @Test
    void anUndoRunsAfterTheStepThatWasInWorkWhenItLooked() throws Exception {
        undoWhileInWork(0);

        assertThat(done).containsExactly("step", "undo");
        assertThat(stored(STEP).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(UNDO).state()).isEqualTo(RecordState.DISPATCHED);
    }

    /** Its rollback lets the undo in, or its failure is written first: either way nothing of it is left. */
    @Test
    void aStepThatFailsWhileItsUndoWaitsDoesNotComeAgain() throws Exception {
        Future<?> step = inThread(() -> step(() -> {
            stepBegun.countDown();
            await(undoComes);
            throw new IOException("failed");
        }));
        await(stepBegun);
        Future<?> undo = undoInThread();

        assertThat(step).failsWithin(Duration.ofSeconds(20));
        assertThat(undo).succeedsWithin(Duration.ofSeconds(20));
        assertThat(stored(STEP).state()).isEqualTo(RecordState.UNDONE);
        step(1, 0, UndoFenceRules::retried, () -> {});
        assertThat(committed()).doesNotContain("step");
        assertThat(done).containsOnlyOnce("step");
    }

    /** That it waited in vain is not the undo's failure. */
    @Test
    void anUndoThatCannotBarAStepInWorkComesBack() throws Exception {
        undoInVainWhileInWork(0);
    }

    @Test
    void anUndoThatCannotBarAStepInItsNextAttemptComesBack() throws Exception {
        assumeThat(database())
                .as("H2 waits without end for a transaction in which a statement has failed, as the claim's insert has")
                .isNotEqualTo(TestDatabase.H2);
        fail(0, UndoFenceRules::retried);
        undoInVainWhileInWork(1);
    }

    private void undoInVainWhileInWork(int attempt) throws Exception {
        CountDownLatch cameBack = new CountDownLatch(1);
        Future<?> step = inThread(() -> step(attempt, 0, UndoFenceRules::retried, () -> {
            stepBegun.countDown();
            await(cameBack);
        }));
        await(stepBegun);

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(this::undoImpatiently)
                .satisfies(e -> assertThat(e.isTrouble()).isFalse())
                .withMessageContaining(STEP);
        cameBack.countDown();
        assertThat(step).succeedsWithin(Duration.ofSeconds(20));
        undo(instance);

        assertThat(committed()).containsExactly("step", "undo");
    }

    @Test
    void anUndoRunsAfterTheNextAttemptOfItsStep() throws Exception {
        fail(0, UndoFenceRules::retried);
        undoWhileInWork(1);
    }

    private void undoWhileInWork(int attempt) throws Exception {
        Future<?> step = inThread(() -> step(attempt, 0, UndoFenceRules::retried, () -> {
            stepBegun.countDown();
            await(undoComes);
        }));
        await(stepBegun);
        Future<?> undo = undoInThread();

        assertThat(step).succeedsWithin(Duration.ofSeconds(20));
        assertThat(undo).succeedsWithin(Duration.ofSeconds(20));
        assertThat(committed()).containsExactly("step", "undo");
    }

    private Future<?> undoInThread() {
        return inThread(() -> {
            undoComes.countDown();
            undoAsOftenAsItComes();
        });
    }

    private void undoAsOftenAsItComes() throws Exception {
        while (true) {
            try {
                undo(instance);
                return;
            } catch (NotHandledException e) {
                timeline.sleep(e.delay());
            }
        }
    }

    @Test
    void aStepThatFailedIsBarredThoughItsUndoIsRolledBack() throws Exception {
        fail(0, UndoFenceRules::retried);
        assertThat(stored(STEP).state()).isEqualTo(RecordState.RELEASED);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> undo(instance, () -> {
                    throw new IOException("failed");
                }));
        assertThat(stored(STEP).state()).isEqualTo(RecordState.UNDONE);
        step(1, 0, UndoFenceRules::retried, () -> {});
        assertThat(committed()).isEmpty();

        undo(instance);

        assertThat(committed()).containsExactly("undo");
    }

    @Test
    void aPoisonStepIsBarredAndItsReplayIsNotHandled() throws Exception {
        fail(0, failure -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure));
        long version = stored(STEP).version();
        assertThat(stored(STEP).state()).isEqualTo(RecordState.POISONED);
        undo(instance);
        step(0, version, UndoFenceRules::retried, () -> {});

        assertThat(committed()).containsExactly("undo");
        assertThat(stored(STEP).state()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void theUndoOfAHandledStepRunsOnce() throws Exception {
        step(() -> {});
        undo(instance);
        undo(instance);
        step(() -> {});

        assertThat(committed()).containsExactly("step", "undo");
    }
}
