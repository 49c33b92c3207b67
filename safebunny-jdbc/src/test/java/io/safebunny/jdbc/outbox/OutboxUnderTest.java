// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.jdbc.sql.Database;
import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.message.WireMessage;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One instance of a node with its outbox. Closing it without stopping it first simulates a crash. */
final class OutboxUnderTest implements AutoCloseable {

    final DataSource dataSource;
    final String node;
    final JdbcOutbox outbox;
    final RecordingSender sender;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final TransactionTemplate transaction;
    final JdbcTemplate sql;

    private final SystemTimeline clock = new SystemTimeline("outbox-test");
    final AheadTimeline timeline = new AheadTimeline(clock);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    OutboxUnderTest(
            DataSource dataSource, String node, RecordingSender sender, UnaryOperator<JdbcOutboxOptions> settings) {
        this.dataSource = dataSource;
        this.node = node;
        this.sender = sender;
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.sql = new JdbcTemplate(dataSource);
        JdbcOutboxOptions options =
                JdbcOutboxOptions.of(node).withRelay(Duration.ofMillis(100), Duration.ofSeconds(10));
        this.outbox = new JdbcOutbox(dataSource, settings.apply(options), timeline, threads, meters);
    }

    static OutboxUnderTest on(HikariDataSource pool) {
        return new OutboxUnderTest(pool, TestDatabase.newNode(), new RecordingSender(), options -> options);
    }

    /** As in a test in which so much time has passed. */
    OutboxUnderTest aheadBy(Duration lead) {
        timeline.lead(lead);
        return this;
    }

    OutboxUnderTest started() {
        outbox.start(sender);
        return this;
    }

    static OutboundMessage message(String correlationId, String id) {
        return message("Ping", correlationId, id);
    }

    static OutboundMessage message(String type, String correlationId, String id) {
        WireMessage wire = new WireMessage(
                id,
                correlationId,
                type,
                "shop",
                1_700_000_000L,
                "application/json",
                null,
                Map.of("sb-marker", 1, "tenant", "acme"),
                "{\"text\":\"grüße\"}".getBytes(StandardCharsets.UTF_8));
        return new OutboundMessage(wire, new Route.ToSubscribers("shop." + type), Duration.ofSeconds(3));
    }

    void publish(String correlationId, String... ids) {
        for (String id : ids) {
            publish(message(correlationId, id));
        }
    }

    void publish(OutboundMessage message) {
        if (!outbox.add(message)) {
            throw new IllegalStateException("There is no transaction");
        }
    }

    void publishAndCommit(String correlationId, String... ids) {
        transaction.executeWithoutResult(status -> publish(correlationId, ids));
    }

    /** Ids of the messages in the table. */
    List<String> stored() {
        return sql.queryForList(
                "select message_id from safebunny_outbox where node = ? order by id", String.class, node);
    }

    /** The time by the database's clock, which may not be ours. */
    Instant databaseTime() {
        Dialect dialect = Database.of(dataSource).dialect();
        return Instant.ofEpochMilli(
                Objects.requireNonNull(sql.queryForObject("select " + dialect.millisOf(dialect.now()), Long.class)));
    }

    /** Makes all rows due, as if they were old. */
    void makeDue() {
        sql.update("update safebunny_outbox set due_at = created_at where node = ?", node);
    }

    double count(String outcome) {
        return meters.counter("safebunny.outbox", "outcome", outcome).count();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        clock.close();
    }
}
