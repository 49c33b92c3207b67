// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Latencies;
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
    private static final int PACED = 200;
    private static final int MANY = 800;

    private final PostgresServer server = PostgresServer.start();
    private final BenchBroker broker;
    private final Effort effort;
    private int turns;

    public OrderSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
        FreshDatabase.withoutFullPageImages(server);
    }

    @Override
    public List<Contest> contests() {
        return List.of(new Contest(
                "Order saga, exactly once",
                conditions(),
                List.of(
                        contender(DBOS, database -> new DbosOrders(database, CONNECTIONS, true)),
                        contender(DBOS_DIRECT, database -> new DbosOrders(database, CONNECTIONS, false)),
                        contender(FLOWABLE, database -> new FlowableOrders(database, CONNECTIONS)),
                        contender(JOBRUNR, database -> new JobRunrOrders(database, CONNECTIONS)),
                        contender(DB_SCHEDULER, database -> new DbSchedulerOrders(database, CONNECTIONS)),
                        contender(SAFEBUNNY, database -> new SafeBunnyOrders(broker, database, CONNECTIONS / 2))),
                List.of(
                        new Ratio("sagaVsDbos", SAFEBUNNY, DBOS, 0),
                        new Ratio("sagaVsDbosDirect", SAFEBUNNY, DBOS_DIRECT, 0),
                        new Ratio("sagaVsFlowable", SAFEBUNNY, FLOWABLE, 0),
                        new Ratio("sagaVsJobRunr", SAFEBUNNY, JOBRUNR, 0),
                        new Ratio("sagaVsDbScheduler", SAFEBUNNY, DB_SCHEDULER, 0))));
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

    /** Starts it for each round, so that nobody runs beside another. */
    private Contender contender(String name, Opening opening) {
        return new Contender(name, () -> {
            try (FreshDatabase database = new FreshDatabase(server, "turn" + turns++)) {
                Effects.createTable(database.sql());
                try (OrderPeer peer = opening.open(database)) {
                    return measure(database, new OrderRun(peer));
                }
            }
        });
    }

    private Figures measure(FreshDatabase database, OrderRun run) throws Exception {
        Latencies unused = run.atRate("first", PER_SECOND, WARM_UPS);
        Latencies latencies = run.atRate("paced", PER_SECOND, effort.messages(PACED));
        run.check(database.sql());
        int many = effort.messages(MANY);
        FreshDatabase.Costs before = database.costs();
        long nanos = run.saturated("many", many);
        run.check(database.sql());
        FreshDatabase.Costs costs = database.costs().since(before);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(Figures.SAGAS_PER_SECOND, many * 1e9 / nanos);
        figures.put("median, ms", latencies.millis(0.5));
        figures.put("99th percentile, ms", latencies.millis(0.99));
        figures.put("commits per saga", (double) costs.commits() / many);
        figures.put("WAL per saga, bytes", (double) costs.walBytes() / many);
        return new Figures(figures);
    }

    @Override
    public void close() {
        server.close();
    }
}
