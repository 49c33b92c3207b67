// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.outbox;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.BenchDatabase;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.message.WireMessage;
import io.safebunny.store.Outbox;
import io.safebunny.store.record.RecordJson;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Draining a full table, and the whole way from publishing in a transaction to deletion. */
public final class OutboxSection implements Section {

    private static final String NAIVE = "naive: one row at a time";
    private static final String SAFEBUNNY = "SafeBunny";
    private static final String NAMASTACK = "Namastack Outbox 1.6";
    private static final String TUNED_NAMASTACK = "Namastack Outbox 1.6, its load tests' settings";

    private static final String ONE_RELAY = "SafeBunny, one relay";
    private static final String FIVE_RELAYS = "SafeBunny, five relays";
    private static final int RELAYS = 5;

    private static final String TABLE = "safebunny_outbox";
    private static final int CONNECTIONS = 16;

    private final BenchBroker broker;
    private final BenchDatabase database = new BenchDatabase(CONNECTIONS);
    private final Effort effort;
    private final String queue;
    private final Ping ping = Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES);
    private final Writers writers = new Writers(new JdbcTransactionManager(database.pool()));

    public OutboxSection(BenchBroker broker, Effort effort) {
        this.broker = broker;
        this.effort = effort;
        this.queue = broker.declare("sink");
    }

    @Override
    public List<Contest> contests() {
        int naive = effort.messages(2_000);
        int shipped = effort.messages(20_000);
        int published = effort.messages(8_000);
        List<Contest> contests = new ArrayList<>(List.of(
                new Contest(
                        "Outbox, a full table",
                        "messages of 965 bytes, each in a correlation of its own, in a table of PostgreSQL until they are in a quorum queue and deleted; %s of them for the naive one, %s for SafeBunny"
                                .formatted(naive, shipped),
                        List.of(
                                new Contender(NAIVE, () -> naive(naive)),
                                new Contender(SAFEBUNNY, () -> relay(shipped))),
                        List.of(new Ratio("outboxVsNaive", SAFEBUNNY, NAIVE, 15))),
                new Contest(
                        "Outbox, from publishing to deletion",
                        "%s messages of 965 bytes, ten per transaction of PostgreSQL, four threads, until they are in a quorum queue and deleted; Namastack polls every 100 ms, 200 rows at once, and sends in 4 threads; with the settings of its own load tests every 25 ms, 800 rows at once, in virtual threads, or in 16 where the JDK has none"
                                .formatted(published),
                        List.of(
                                new Contender(NAMASTACK, () -> namastack(published, Namastack.Settings.MODERATE)),
                                new Contender(
                                        TUNED_NAMASTACK, () -> namastack(published, Namastack.Settings.LOAD_TEST)),
                                new Contender(SAFEBUNNY, () -> publishing(published))),
                        List.of(
                                new Ratio("outboxVsLibraryModerate", SAFEBUNNY, NAMASTACK, 0),
                                new Ratio("outboxVsLibrary", SAFEBUNNY, TUNED_NAMASTACK, 2)))));
        if (effort.share() == 1) {
            contests.add(relays(shipped));
        }
        return contests;
    }

    private Contest relays(int messages) {
        return new Contest(
                        "Outbox, five relays on one table",
                        "%s messages of 965 bytes, each in a correlation of its own, in a table of PostgreSQL until they are in a quorum queue and deleted; instances of one node, all in one process; times of a batch that is claimed, a message until it is confirmed, and a deletion of those that are"
                                .formatted(messages),
                        List.of(
                                new Contender(ONE_RELAY, () -> relays(1, messages)),
                                new Contender(FIVE_RELAYS, () -> relays(RELAYS, messages))),
                        List.of(new Ratio("relays5Vs1", FIVE_RELAYS, ONE_RELAY, 0)))
                .with(Plan.WARM_ROUNDS);
    }

    private Figures relays(int many, int messages) throws Exception {
        fill(messages);
        RelaySteps steps = new RelaySteps();
        DataSource timed = steps.timed(database.pool());
        List<BenchNode> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < many; i++) {
                nodes.add(BenchNode.withOutbox(
                        broker,
                        BenchBroker.SOURCE,
                        (timeline, workers) -> steps.timed(outbox(timed, timeline, workers))));
            }
            long begin = System.nanoTime();
            startTogether(nodes);
            Writers.awaitEmpty(database, TABLE);
            Map<String, Double> figures = new LinkedHashMap<>(
                    arrived(messages, System.nanoTime() - begin).byName());
            figures.putAll(steps.figures());
            return new Figures(figures);
        } finally {
            nodes.forEach(BenchNode::close);
        }
    }

    private Figures naive(int messages) throws Exception {
        fill(messages);
        try (NaivePoller poller = new NaivePoller(broker, database)) {
            long begin = System.nanoTime();
            poller.drain();
            return arrived(messages, System.nanoTime() - begin);
        }
    }

    private Figures relay(int messages) throws Exception {
        fill(messages);
        try (BenchNode node = node()) {
            long begin = System.nanoTime();
            node.start(List.of());
            Writers.awaitEmpty(database, TABLE);
            return arrived(messages, System.nanoTime() - begin);
        }
    }

    private Figures publishing(int messages) throws Exception {
        broker.purge(queue);
        try (BenchNode node = node()) {
            node.start(List.of());
            long begin = System.nanoTime();
            int published = writers.publish(messages, correlation -> {
                Published unused =
                        node.bunny().publish(ping, PublishOptions.none().withCorrelationId(correlation));
            });
            Writers.awaitEmpty(database, TABLE);
            return arrived(published, System.nanoTime() - begin);
        }
    }

    private Figures namastack(int messages, Namastack.Settings settings) throws Exception {
        broker.purge(queue);
        try (Namastack library = new Namastack(broker, database, settings)) {
            long begin = System.nanoTime();
            int published =
                    writers.publish(messages, correlation -> library.outbox().schedule(ping, correlation));
            Writers.awaitEmpty(database, Namastack.TABLE);
            return arrived(published, System.nanoTime() - begin);
        }
    }

    /** Checks that the messages arrived: an empty table alone proves nothing. */
    private Figures arrived(int messages, long nanos) throws Exception {
        broker.requireMessages(queue, messages);
        return Figures.perSecond(messages, nanos);
    }

    private BenchNode node() {
        return BenchNode.withOutbox(
                broker, BenchBroker.SOURCE, (timeline, workers) -> outbox(database.pool(), timeline, workers));
    }

    /** At the same time, so that those that come first have no head start. */
    private static void startTogether(List<BenchNode> nodes) {
        nodes.stream()
                .map(node -> CompletableFuture.runAsync(
                        () -> node.start(List.of()), task -> new Thread(task, "start").start()))
                .toList()
                .forEach(CompletableFuture::join);
    }

    private static Outbox outbox(DataSource pool, Timeline timeline, Executor workers) {
        return new JdbcOutbox(
                pool, JdbcOutboxOptions.of(BenchBroker.SOURCE), timeline, workers, new SimpleMeterRegistry());
    }

    /** Fills the table as if after a crash, with rows old enough for the relay. */
    private void fill(int messages) throws Exception {
        broker.purge(queue);
        database.sql().execute("truncate " + TABLE);
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            String id = "bench-" + i;
            rows.add(new Object[] {BenchBroker.SOURCE, id, id, RecordJson.writeOutgoing(List.of(message(id)))});
        }
        database.sql()
                .batchUpdate(
                        "insert into safebunny_outbox (node, correlation_id, message_id, message, attempts, created_at, due_at) values (?, ?, ?, ?, 0, now() - interval '1 minute', now() - interval '50 seconds')",
                        rows);
        database.sql().execute("vacuum analyze " + TABLE);
        database.sql().execute("checkpoint");
    }

    private OutboundMessage message(String id) {
        WireMessage wire = new WireMessage(
                id,
                id,
                "Ping",
                BenchBroker.SOURCE,
                1_700_000_000L,
                "application/json",
                null,
                Map.of("sb-marker", 1, "sb-attempt", 0),
                ping.json());
        return new OutboundMessage(wire, new Route.ToSubscribers(BenchBroker.routingKey("Ping")), Duration.ZERO);
    }

    @Override
    public void close() {
        writers.close();
        database.close();
    }
}
