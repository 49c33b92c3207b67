// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.jdbc.JdbcOutbox;
import io.safebunny.jdbc.JdbcOutboxOptions;
import io.safebunny.jdbc.JdbcSchema;
import io.safebunny.message.WireMessage;
import io.safebunny.store.RecordJson;
import io.safebunny.test.database.PostgresServer;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Messages per second out of a prepared outbox table in PostgreSQL, alternately as first written (one row is selected, sent,
 * confirmed and deleted at a time; it waits 100 ms when the table is empty) and as shipped, with a broker that confirms at
 * once, so that the database is what is measured. Then messages per second from the publication in a transaction to the
 * deletion, with ten messages and four threads. Arguments: {@code [messages] [messages of the naive one] [rounds]}.
 */
public final class OutboxComparison {

    private static final String NODE = "bench";
    private static final Duration EMPTY = Duration.ofMillis(100);
    private static final int PER_TRANSACTION = 10;
    private static final int WRITERS = 4;

    private final HikariDataSource pool;
    private final JdbcTemplate sql;
    private final SystemTimeline timeline = new SystemTimeline("benchmark");
    private final ExecutorService workers = Executors.newCachedThreadPool();

    private OutboxComparison(HikariDataSource pool) {
        this.pool = pool;
        this.sql = new JdbcTemplate(pool);
    }

    public static void main(String[] arguments) {
        int messages = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 50_000;
        int naiveMessages = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3_000;
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        try (PostgresServer server = PostgresServer.start();
                HikariDataSource pool = pool(server)) {
            OutboxComparison comparison = new OutboxComparison(pool);
            Map<String, List<Double>> results = new LinkedHashMap<>();
            for (int round = 0; round <= rounds; round++) {
                double naive = comparison.measure(naiveMessages, comparison::naive);
                double shipped = comparison.measure(messages, comparison::shipped);
                double whole = comparison.fromPublishing(messages / 5);
                if (round > 0) { // the first warms up
                    add(results, "naive", naive);
                    add(results, "shipped", shipped);
                    add(results, "ratio", shipped / naive);
                    add(results, "from publishing to deletion", whole);
                }
            }
            results.forEach(OutboxComparison::print);
            System.out.printf(
                    Locale.ROOT,
                    "{\"outboxVsNaive\": %.1f, \"naivePerSecond\": %.0f, \"shippedPerSecond\": %.0f, \"publishedPerSecond\": %.0f}%n",
                    median(results, "ratio"),
                    median(results, "naive"),
                    median(results, "shipped"),
                    median(results, "from publishing to deletion"));
            comparison.close();
        }
    }

    private static HikariDataSource pool(PostgresServer server) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl());
        config.setMaximumPoolSize(10);
        HikariDataSource pool = new HikariDataSource(config);
        new ResourceDatabasePopulator(new ByteArrayResource(
                        JdbcSchema.of(pool, "safebunny_").script().getBytes(StandardCharsets.UTF_8)))
                .execute(pool);
        return pool;
    }

    private void close() {
        workers.shutdownNow();
        timeline.close();
    }

    // ---- results

    private static void add(Map<String, List<Double>> results, String name, double value) {
        results.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    private static double[] sorted(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    private static double median(Map<String, List<Double>> results, String name) {
        double[] values = sorted(results.getOrDefault(name, List.of()));
        return values[values.length / 2];
    }

    private static void print(String name, List<Double> values) {
        double[] sorted = sorted(values);
        System.out.printf(
                Locale.ROOT,
                "%-30s median %.1f  min %.1f  max %.1f%n",
                name,
                sorted[sorted.length / 2],
                sorted[0],
                sorted[sorted.length - 1]);
    }

    // ---- contenders

    private double measure(int messages, ToDoubleFunction<Integer> contender) {
        fill(messages);
        return messages / contender.applyAsDouble(messages);
    }

    /** @return seconds */
    private double naive(int messages) {
        long begin = timeline.nanoTime();
        for (int sent = 0; sent < messages; ) {
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                boolean found = sendOne(connection);
                connection.commit();
                connection.setAutoCommit(true);
                if (found) {
                    sent++;
                } else {
                    timeline.sleep(EMPTY);
                }
            } catch (SQLException e) {
                throw new IllegalStateException("The database failed", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        return seconds(begin);
    }

    private static boolean sendOne(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                        "select id, message from safebunny_outbox where due_at <= now() order by id limit 1 for update");
                ResultSet rows = select.executeQuery()) {
            if (!rows.next()) {
                return false;
            }
            OutboundMessage message = RecordJson.readOutgoing(rows.getString(2)).get(0);
            NoBroker.confirm(message).join();
            try (PreparedStatement delete = connection.prepareStatement("delete from safebunny_outbox where id = ?")) {
                delete.setLong(1, rows.getLong(1));
                return delete.executeUpdate() == 1;
            }
        }
    }

    /** @return seconds */
    private double shipped(int messages) {
        NoBroker broker = new NoBroker();
        JdbcOutbox outbox = outbox();
        long begin = timeline.nanoTime();
        outbox.start(broker);
        broker.await(messages, timeline);
        awaitEmpty();
        double seconds = seconds(begin);
        outbox.stop();
        return seconds;
    }

    /** @return messages per second */
    private double fromPublishing(int messages) {
        sql.execute("truncate safebunny_outbox");
        NoBroker broker = new NoBroker();
        JdbcOutbox outbox = outbox();
        outbox.start(broker);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        long begin = timeline.nanoTime();
        int each = messages / WRITERS / PER_TRANSACTION;
        for (int writer = 0; writer < WRITERS; writer++) {
            String name = "w" + writer + "-";
            workers.execute(() -> {
                for (int i = 0; i < each; i++) {
                    int number = i;
                    transaction.executeWithoutResult(status -> publish(outbox, name + number));
                }
            });
        }
        int all = each * WRITERS * PER_TRANSACTION;
        broker.await(all, timeline);
        awaitEmpty();
        double perSecond = all / seconds(begin);
        outbox.stop();
        return perSecond;
    }

    private static void publish(JdbcOutbox outbox, String name) {
        for (int i = 0; i < PER_TRANSACTION; i++) {
            if (!outbox.add(message(name + "-" + i))) {
                throw new IllegalStateException("There is no transaction");
            }
        }
    }

    private JdbcOutbox outbox() {
        return new JdbcOutbox(pool, JdbcOutboxOptions.of(NODE), timeline, workers, new SimpleMeterRegistry());
    }

    private void awaitEmpty() {
        try {
            while (Boolean.TRUE.equals(
                    sql.queryForObject("select exists (select 1 from safebunny_outbox)", Boolean.class))) {
                timeline.sleep(Duration.ofMillis(2));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private double seconds(long begin) {
        return (timeline.nanoTime() - begin) / 1e9;
    }

    // ---- messages

    private void fill(int messages) {
        sql.execute("truncate safebunny_outbox");
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            String id = "bench-" + i;
            rows.add(new Object[] {NODE, id, id, RecordJson.writeOutgoing(List.of(message(id)))});
        }
        sql.batchUpdate(
                "insert into safebunny_outbox (node, correlation_id, message_id, message, attempts, created_at, due_at) values (?, ?, ?, ?, 0, now() - interval '1 minute', now() - interval '50 seconds')",
                rows);
        sql.execute("vacuum analyze safebunny_outbox");
        sql.execute("checkpoint");
    }

    /** Of about 900 bytes, in a correlation of its own. */
    private static OutboundMessage message(String id) {
        String body = "{\"id\":\"order-42\",\"number\":7,\"lines\":["
                + String.join(",", Collections.nCopies(20, "\"forty bytes of text for one line of it\""))
                + "]}";
        WireMessage wire = new WireMessage(
                id,
                id,
                "Ping",
                NODE,
                1_700_000_000L,
                "application/json",
                null,
                Map.of("sb-marker", 1, "sb-attempt", 0),
                body.getBytes(StandardCharsets.UTF_8));
        return new OutboundMessage(wire, new Route.Publication("bench.Ping"), Duration.ZERO);
    }

    /** Confirms at once. */
    private static final class NoBroker implements Function<OutboundMessage, CompletableFuture<Void>> {

        private final AtomicInteger confirmed = new AtomicInteger();

        @Override
        public CompletableFuture<Void> apply(OutboundMessage message) {
            confirmed.incrementAndGet();
            return confirm(message);
        }

        static CompletableFuture<Void> confirm(OutboundMessage message) {
            if (message.message().body().length == 0) {
                throw new IllegalStateException("The message was not read");
            }
            return CompletableFuture.completedFuture(null);
        }

        void await(int messages, SystemTimeline timeline) {
            try {
                while (confirmed.get() < messages) {
                    timeline.sleep(Duration.ofMillis(1));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
