// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.BenchDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a transaction that stays open does to the others: no row that was deleted since it began can be removed. Only in full runs. */
public final class HeldSection implements Section {

    private static final String BEFORE = "before";
    private static final String AFTER = "after its end";

    private static final int MINUTES = 10;
    private static final int CONNECTIONS = 32;
    private static final double KEPT = 0.9;
    private static final Duration WARM_UP = Duration.ofMinutes(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final BenchBroker broker;
    private final Effort effort;
    private @Nullable BenchDatabase database;
    private @Nullable Flow flow;
    private @Nullable Connection held;

    public HeldSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
    }

    @Override
    public List<Contest> contests() {
        if (effort.share() < 1) {
            return List.of();
        }
        List<Contender> minutes = new ArrayList<>();
        minutes.add(new Contender(BEFORE, this::before));
        for (int minute = 1; minute <= MINUTES; minute++) {
            minutes.add(new Contender(held(minute), this::whileHeld));
        }
        minutes.add(new Contender(AFTER, this::after));
        return List.of(new Contest(
                        "Held transaction",
                        "a transaction of PostgreSQL with isolation REPEATABLE READ stays open for %s minutes, while messages of 965 bytes are published in transactions of ten, at most %s at once, relayed by the outbox, and handled in transactions with their records (prefetch %s), which expire after %s s; a row for each minute, after one to warm up; latency from publishing to handling"
                                .formatted(MINUTES, Flow.WINDOW, Flow.PREFETCH, Flow.RETENTION.toSeconds()),
                        minutes,
                        List.of(new Ratio("heldTransactionKept", held(MINUTES), BEFORE, KEPT)))
                .with(Plan.ONCE));
    }

    private static String held(int minute) {
        return "held, minute " + minute;
    }

    private Figures before() throws Exception {
        BenchDatabase opened = new BenchDatabase(CONNECTIONS);
        database = opened;
        flow = new Flow(broker, opened.pool());
        Figures unused = run(WARM_UP);
        return run(MINUTE);
    }

    private Figures whileHeld() throws Exception {
        if (held == null) {
            held = begin();
        }
        return run(MINUTE);
    }

    /** Its snapshot is that of its first query. */
    private Connection begin() throws SQLException {
        Connection connection = opened(database).pool().getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.createStatement().execute("select count(*) from safebunny_message");
        return connection;
    }

    private Figures after() throws Exception {
        Connection ending = opened(held);
        ending.rollback();
        ending.close();
        return run(MINUTE);
    }

    private Figures run(Duration time) throws Exception {
        Map<String, Double> figures = new LinkedHashMap<>(opened(flow).run(time));
        figures.put("dead rows, records", dead("safebunny_message"));
        figures.put("dead rows, outbox", dead("safebunny_outbox"));
        return new Figures(figures);
    }

    private double dead(String table) {
        Long rows = opened(database)
                .sql()
                .queryForObject("select n_dead_tup from pg_stat_user_tables where relname = ?", Long.class, table);
        return rows == null ? 0 : rows;
    }

    private static <T> T opened(@Nullable T resource) {
        if (resource == null) {
            throw new IllegalStateException("The minute before the held transaction failed; see its exception.");
        }
        return resource;
    }

    @Override
    public void close() {
        if (flow != null) {
            flow.close();
        }
        if (database != null) {
            database.close();
        }
    }
}
