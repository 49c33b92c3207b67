// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Bins;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.FreshDatabase;
import io.safebunny.test.database.PostgresServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A saga of four steps, exactly once: SafeBunny beside libraries that keep their state in the application's database. */
public final class OrderSection implements Section {

    private static final String SAFEBUNNY = "SafeBunny, RabbitMQ and PostgreSQL";
    private static final String DBOS = "DBOS, queue";
    private static final String DBOS_DIRECT = "DBOS, started directly";
    private static final String FLOWABLE = "Flowable";
    private static final String JOBRUNR = "JobRunr";
    private static final String DB_SCHEDULER = "db-scheduler";

    /** For each contender; SafeBunny's two nodes have half of them each. */
    private static final int CONNECTIONS = 20;

    private static final int PER_SECOND = 20;
    private static final int WARM_UPS = 10;
    private static final int MANY_WARM_UPS = 100;
    private static final int PACED = 200;
    private static final int MANY = 800;
    private static final int SUSTAINED_PER_SECOND = 50;
    private static final int SUSTAINED_SECONDS = 50;
    private static final int SUSTAINED_WARM_UPS = 100;

    private final PostgresServer server = FreshDatabase.server();
    private final BenchBroker broker;
    private final Effort effort;
    private int turns;

    public OrderSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
    }

    @Override
    public List<Contest> contests() {
        return List.of(exactlyOnce(), overTime());
    }

    /** So that one sees whether latency grows, and what the pauses are. */
    private Contest overTime() {
        int orders = effort.messages(SUSTAINED_SECONDS * SUSTAINED_PER_SECOND);
        return new Contest(
                        "Order saga over time",
                        "the saga of the contest above, %s of them at %s per second, after %s at %s per second to warm up; a single time"
                                .formatted(orders, SUSTAINED_PER_SECOND, SUSTAINED_WARM_UPS, PER_SECOND),
                        List.of(
                                contender(
                                        DBOS_DIRECT,
                                        this::dbosDirect,
                                        (database, run) -> sustain(database, run, orders)),
                                contender(
                                        SAFEBUNNY, this::safeBunny, (database, run) -> sustain(database, run, orders))),
                        List.of())
                .with(Plan.ONCE);
    }

    private Contest exactlyOnce() {
        return new Contest(
                "Order saga, exactly once",
                conditions(),
                List.of(
                        contender(DBOS, database -> new DbosOrders(database, CONNECTIONS, true), this::measure),
                        contender(DBOS_DIRECT, this::dbosDirect, this::measure),
                        contender(FLOWABLE, database -> new FlowableOrders(database, CONNECTIONS), this::measure),
                        contender(JOBRUNR, database -> new JobRunrOrders(database, CONNECTIONS), this::measure),
                        contender(
                                DB_SCHEDULER, database -> new DbSchedulerOrders(database, CONNECTIONS), this::measure),
                        contender(SAFEBUNNY, this::safeBunny, this::measure)),
                List.of(
                        new Ratio("sagaVsDbos", SAFEBUNNY, DBOS, 2),
                        new Ratio("sagaVsDbosDirect", SAFEBUNNY, DBOS_DIRECT, 2),
                        new Ratio("sagaVsFlowable", SAFEBUNNY, FLOWABLE, 2),
                        new Ratio("sagaVsJobRunr", SAFEBUNNY, JOBRUNR, 2),
                        new Ratio("sagaVsDbScheduler", SAFEBUNNY, DB_SCHEDULER, 0)));
    }

    private String conditions() {
        return "each saga has four steps, each of which inserts a row of PostgreSQL exactly once; in one of %s, the last step is refused and the three others are undone; %s sagas at %s per second, then %s, at most %s at once; an empty database and %s connections for each; a saga ends with its last handler, step or job; rows are counted after each phase; SafeBunny: the saga in one node, its participant in another, quorum queues, transactional store; DBOS: transactional steps, its queue polled every %s ms; Flowable: asynchronous tasks, compensation, history of instances; JobRunr: steps in a job, polls every %s s, %s workers; db-scheduler: a run for each step, locks and fetches every %s ms, %s threads"
                .formatted(
                        Order.REFUSED,
                        effort.messages(PACED),
                        PER_SECOND,
                        effort.messages(MANY),
                        OrderRun.AT_ONCE,
                        CONNECTIONS,
                        DbosOrders.POLLING.toMillis(),
                        JobRunrOrders.POLL_SECONDS,
                        CONNECTIONS,
                        DbSchedulerOrders.POLLING.toMillis(),
                        CONNECTIONS);
    }

    @FunctionalInterface
    private interface Opening {
        OrderPeer open(FreshDatabase database) throws Exception;
    }

    private OrderPeer dbosDirect(FreshDatabase database) throws Exception {
        return new DbosOrders(database, CONNECTIONS, false);
    }

    private OrderPeer safeBunny(FreshDatabase database) {
        return new SafeBunnyOrders(broker, database, CONNECTIONS / 2);
    }

    @FunctionalInterface
    private interface Measuring {
        Figures of(FreshDatabase database, OrderRun run) throws Exception;
    }

    private Contender contender(String name, Opening opening, Measuring measuring) {
        return new Contender(name, () -> turn(opening, measuring), () -> turn(opening, OrderSection::warmUp));
    }

    /** Starts it for each round, so that nobody runs beside another. */
    private Figures turn(Opening opening, Measuring measuring) throws Exception {
        try (FreshDatabase database = new FreshDatabase(server, "turn" + turns++)) {
            Effects.createTable(database.sql());
            try (OrderPeer peer = opening.open(database)) {
                return measuring.of(database, new OrderRun(peer));
            }
        }
    }

    private static Figures warmUp(FreshDatabase database, OrderRun run) throws Exception {
        long nanos = run.saturated("first", MANY_WARM_UPS);
        run.check(database.sql());
        return new Figures(Map.of(Figures.SAGAS_PER_SECOND, MANY_WARM_UPS * 1e9 / nanos));
    }

    private Figures measure(FreshDatabase database, OrderRun run) throws Exception {
        Bins unused = run.atRate("first", PER_SECOND, WARM_UPS);
        Bins paced = run.atRate("paced", PER_SECOND, effort.messages(PACED));
        run.check(database.sql());
        int many = effort.messages(MANY);
        FreshDatabase.Costs before = database.costs();
        long nanos = run.saturated("many", many);
        run.check(database.sql());
        FreshDatabase.Costs costs = database.costs().since(before);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(Figures.SAGAS_PER_SECOND, many * 1e9 / nanos);
        figures.put("median, ms", paced.latencies().millis(0.5));
        figures.put("99th percentile, ms", paced.latencies().millis(0.99));
        figures.putAll(costs.per("saga", many));
        return new Figures(figures);
    }

    private static Figures sustain(FreshDatabase database, OrderRun run, int orders) throws Exception {
        Bins unused = run.atRate("first", PER_SECOND, SUSTAINED_WARM_UPS);
        Bins bins = run.atRate("sustained", SUSTAINED_PER_SECOND, orders);
        run.check(database.sql());
        return new Figures(Figures.of(bins.latencies()), bins.list());
    }

    @Override
    public void close() {
        server.close();
    }
}
