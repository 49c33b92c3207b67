// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.CountedCalls;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Which round trips a message handled in a transaction costs, one by one. */
@Timeout(60)
abstract class RecordCostRules {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final String node = TestDatabase.newNode();

    @SuppressWarnings("NullAway.Init")
    private CountedCalls calls;

    @SuppressWarnings("NullAway.Init")
    private TransactionalJdbcMessageStore store;

    @SuppressWarnings("NullAway.Init")
    private Deduplication instance;

    abstract TestDatabase database();

    /** Whether the commit is the completion, so that nothing needs to be written just before it. */
    private boolean once() {
        return database() == TestDatabase.POSTGRESQL;
    }

    @BeforeEach
    void open() {
        calls = new CountedCalls(database().pool());
        store = Instances.store(calls, JdbcStoreOptions.of(node, Duration.ofDays(7)));
        instance = Instances.over(store, timeline, 5);
        calls.take();
    }

    @AfterEach
    void close() {
        timeline.close();
    }

    static Envelope message() {
        return message(UUID.randomUUID().toString());
    }

    private void deliver(Envelope message, Instances.Handler handler) throws Exception {
        Instances.deliver(
                instance,
                new Handling(new CurrentHandling(), message),
                failure -> Ending.retried(Duration.ZERO, failure),
                handling -> handling.attempt(() -> handler.handle(handling)));
    }

    private void failing(Envelope message) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(message, handling -> {
                    throw new IOException("failed");
                }));
    }

    static void publish(Handling handling) {
        handling.requirePublishing();
        handling.collect(new OutboundMessage(
                handling.message().toWire(),
                new Route.ToSubscribers("Order" + handling.nextOrdinal("Order")),
                Duration.ZERO));
    }

    private List<String> costs(String always, String unlessOnce, String end) {
        return List.of((once() ? always + end : always + unlessOnce + end).split(" "));
    }

    private MessageRecord stored(Envelope message) {
        return Objects.requireNonNull(store.find(new RecordKey(message.correlationId(), message.id())));
    }

    @Test
    void aMessageThatPublishesNothing() throws Exception {
        Envelope message = message();
        deliver(message, handling -> {});

        assertThat(calls.take()).isEqualTo(costs("insert ", "update ", "commit"));
        assertThat(stored(message).state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void aMessageThatPublishes() throws Exception {
        Envelope message = message();
        deliver(message, RecordCostRules::publish);

        assertThat(calls.take()).containsExactly("insert", "update", "commit");
        assertThat(stored(message).state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
    }

    @Test
    void aDuplicate() throws Exception {
        Envelope message = message();
        deliver(message, handling -> {});
        calls.take();
        deliver(message, handling -> {
            throw new AssertionError("handled twice");
        });

        assertThat(calls.take()).containsExactly("insert", "select", "rollback");
    }

    @Test
    void aFailureAndTheNextAttempt() throws Exception {
        Envelope message = message();
        failing(message);
        assertThat(calls.take())
                .as("and the insert says that it failed")
                .containsExactly("insert", "rollback", "insert");
        deliver(message, handling -> {});

        assertThat(calls.take()).isEqualTo(costs("insert select update ", "update ", "commit"));
        assertThat(stored(message).attempt()).isEqualTo(1);
    }

    @Test
    void anAttemptInMemory() throws Exception {
        deliver(message(), Handling::undoAttempt);

        assertThat(calls.take()).isEqualTo(costs("insert rollback insert ", "update ", "commit"));
    }

    @Test
    void theFailuresOfAttemptsInMemoryAreInTheSameWrites() throws Exception {
        Envelope message = message();
        deliver(message, handling -> {
            handling.failed(failure());
            handling.undoAttempt();
        });

        assertThat(calls.take()).isEqualTo(costs("insert rollback insert ", "update ", "commit"));
        assertThat(stored(message).trail()).isEqualTo(Trail.of(message.type()).with(List.of(failure())));
    }

    /** Of a usual size. */
    static Trail.Failure failure() {
        return new Trail.Failure(
                Instant.ofEpochMilli(1_900_000_000_123L),
                "billing-7d4f9c-x2x5b",
                31,
                "org.springframework.web.client.ResourceAccessException",
                "I/O error on POST request for \"https://bank.example/charges\": connect timed out",
                null);
    }

    // ---- a message of a saga, whose state is written with its record

    private static final String SAGA = "Order";

    static Envelope message(String correlationId) {
        return EnvelopeReader.read(new WireMessage(
                UUID.randomUUID().toString(),
                correlationId,
                "Order",
                null,
                null,
                null,
                null,
                Map.of(),
                "{}".getBytes(StandardCharsets.UTF_8)));
    }

    /** As the saga's own handler does it: reads the saga, changes it, and sends a command. */
    static void move(Handling handling) {
        Instant now = Instant.now();
        Envelope message = handling.message();
        MessageRecord stored = handling.companion(SagaDocument.key(SAGA, message.correlationId()));
        SagaDocument saga = stored == null
                ? SagaDocument.start(SAGA, message.correlationId(), now)
                : SagaDocument.read(SAGA, stored);
        saga.note(now, "took Order " + message.id());
        publish(handling);
        handling.join(saga.write(stored, message.id(), now, now));
    }

    /** PostgreSQL's driver sends record and saga in one round trip. */
    private List<String> together(String saga) {
        return database() == TestDatabase.POSTGRESQL ? List.of("update", "commit") : List.of("update", saga, "commit");
    }

    private boolean looksBeforeItLocks() {
        return database() == TestDatabase.MYSQL || database() == TestDatabase.MARIADB;
    }

    @Test
    void aMessageThatStartsASaga() throws Exception {
        deliver(message(), RecordCostRules::move);

        List<String> calls = this.calls.take();
        assertThat(calls)
                .startsWith("insert", "select")
                .endsWith(together("insert").toArray(String[]::new));
        assertThat(calls)
                .hasSize((looksBeforeItLocks() ? 3 : 2) + together("insert").size());
    }

    @Test
    void aMessageOfASaga() throws Exception {
        String id = UUID.randomUUID().toString();
        deliver(message(id), RecordCostRules::move);
        calls.take();
        deliver(message(id), RecordCostRules::move);

        List<String> calls = this.calls.take();
        assertThat(calls)
                .startsWith("insert", "select")
                .endsWith(together("update").toArray(String[]::new));
        assertThat(calls)
                .hasSize((looksBeforeItLocks() ? 3 : 2) + together("update").size());
    }

    /** Of the two that lost, nothing is written, and both run again from the saga as it is now. */
    @Test
    void aSagaThatAnotherMessageHasChanged() throws Exception {
        String id = UUID.randomUUID().toString();
        deliver(message(id), RecordCostRules::move);
        Envelope message = message(id);
        MessageRecord stored = saga(id);
        AtomicInteger runs = new AtomicInteger();
        deliver(message, handling -> {
            if (runs.incrementAndGet() == 1) {
                SagaDocument stale = SagaDocument.read(SAGA, stored.withVersion(stored.version() - 1));
                stale.note(Instant.now(), "lost");
                handling.join(stale.write(
                        stored.withVersion(stored.version() - 1), message.id(), Instant.now(), Instant.now()));
            } else {
                move(handling);
            }
        });

        assertThat(runs).hasValue(2);
        assertThat(saga(id).version()).isEqualTo(2);
        assertThat(saga(id).steps().toString())
                .contains("took Order " + message.id())
                .doesNotContain("lost");
        assertThat(stored(message).state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
    }

    private MessageRecord saga(String id) {
        return Objects.requireNonNull(store.find(SagaDocument.key(SAGA, id)));
    }

    /** What has ended is kept for the retention from then on, not from the last time it was changed before. */
    @Test
    void theRetentionOfACompanionBeginsWithItsEnd() {
        MessageRecord begun = store.create(MessageRecord.companion(
                SagaDocument.key(SAGA, "saga"),
                "owner",
                new Listing(SAGA, "ACTIVE", Instant.now(), null),
                Map.of("saga", "{}")));
        JdbcTemplate sql = new JdbcTemplate(calls);
        sql.update("update safebunny_companion set changed_at = timestamp '2020-01-01 00:00:00' where node = ?", node);
        MessageRecord changed = Objects.requireNonNull(
                store.replace(begun.nextContent(RecordState.RELEASED, "owner", begun.listing(), Map.of("saga", "{}"))));
        store.removeExpired(10);
        MessageRecord ended = Objects.requireNonNull(
                store.replace(changed.nextContent(RecordState.DISPATCHED, "owner", null, Map.of())));
        store.removeExpired(10);

        assertThat(store.find(ended.key())).isNotNull();
        sql.update("update safebunny_companion set changed_at = timestamp '2020-01-01 00:00:00' where node = ?", node);
        store.removeExpired(10);
        assertThat(store.find(ended.key())).isNull();
    }

    // ---- a handler that ends its transaction itself

    /** DDL commits on MySQL, MariaDB and H2: the message must not count as handled before it is. */
    @Test
    void ddlDoesNotMakeAMessageHandled() {
        Envelope message = message();
        RecordKey key = new RecordKey(message.correlationId(), message.id());
        JdbcMessageStore onlooker =
                new JdbcMessageStore(database().anotherPool(), JdbcStoreOptions.of(node, Duration.ofDays(7)));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(message, handling -> {
                    new JdbcTemplate(calls).execute("create table if not exists committed_by_a_handler (id int)");
                    MessageRecord committed = onlooker.find(key);
                    assertThat(committed == null || committed.state() == RecordState.CLAIMED)
                            .isTrue();
                    throw new IOException("failed");
                }));

        assertThat(stored(message).state()).isEqualTo(RecordState.RELEASED);
    }

    @Test
    void aHandlerThatRollsBackFails() {
        Envelope message = message();
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(message, handling -> {
                    Connection connection = DataSourceUtils.getConnection(calls);
                    connection.rollback();
                }));

        assertThat(stored(message).state()).isEqualTo(RecordState.RELEASED);
    }

    @Test
    void aHandlerThatCommitsAtItsEndHasHandledIt() throws Exception {
        Envelope message = message();
        deliver(message, handling -> {
            Connection connection = DataSourceUtils.getConnection(calls);
            connection.commit();
        });

        assertThat(stored(message).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(message).attempt()).isZero();
    }

    @Test
    void aHandlerThatCommitsAndFailsIsHandledAgain() throws Exception {
        Envelope message = message();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(message, handling -> {
                    Connection connection = DataSourceUtils.getConnection(calls);
                    connection.commit();
                    throw new IOException("failed");
                }));

        assertThat(stored(message).state()).isEqualTo(RecordState.RELEASED);
        deliver(message, handling -> {});
        assertThat(stored(message).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(message).attempt()).isEqualTo(1);
    }
}
