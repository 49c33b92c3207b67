// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Cost;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.FreshDatabase;
import io.safebunny.benchmarks.database.FreshDatabase.Costs;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.test.database.PostgresServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What a message that publishes nothing costs the database: counts, which are exact where times are not. */
public final class CostSection implements Section {

    private static final String BY_HAND = "inbox by hand";
    private static final String PLAIN = "SafeBunny, PostgreSQL";
    private static final String TRANSACTIONAL = "SafeBunny, PostgreSQL, transactional";

    private static final String UNIT = "message";
    private static final int PREFETCH = 10;
    private static final int CONNECTIONS = 14;

    private static final int FEW = 100;
    private static final int MOST_STATEMENTS = 1;
    private static final int MOST_WAL = 600;

    private static final JdbcStoreOptions STORE = JdbcStoreOptions.of(Consumers.NODE, Duration.ofDays(7));

    private final PostgresServer server = FreshDatabase.server();
    private final Consumers many;
    private final Consumers few;
    private final int messages;
    private int turns;

    public CostSection(BenchBroker broker, Effort effort) {
        messages = effort.messages(7_000);
        many = new Consumers(broker, messages);
        few = new Consumers(broker, FEW);
    }

    @Override
    public List<Contest> contests() {
        return List.of(new Contest(
                        "Costs of a message",
                        "%s prepared messages of 965 bytes of JSON in one quorum queue, prefetch %s, handlers that do nothing, an empty database; statements as counted by the server, without begin and commit; commits with those of transactions that only read; WAL of the whole server, without full-page images; less what %s messages cost, so that start and stop do not count"
                                .formatted(messages, PREFETCH, FEW),
                        List.of(
                                contender(
                                        BY_HAND,
                                        (consumers, pool) -> consumers.listeners(
                                                PREFETCH, 1, meter -> Inbox.listener(pool, id -> {}, meter))),
                                contender(
                                        PLAIN,
                                        (consumers, pool) -> consumers.safeBunny(
                                                1, PREFETCH, timeline -> new JdbcMessageStore(pool, STORE))),
                                contender(
                                        TRANSACTIONAL,
                                        (consumers, pool) -> consumers.safeBunny(
                                                1,
                                                PREFETCH,
                                                timeline -> new TransactionalJdbcMessageStore(
                                                        pool, new JdbcTransactionManager(pool), STORE)))),
                        List.of())
                .with(
                        new Cost("statementsPerMessage", TRANSACTIONAL, Costs.statementsPer(UNIT), MOST_STATEMENTS),
                        new Cost("walPerMessage", TRANSACTIONAL, Costs.walPer(UNIT), MOST_WAL))
                .with(Plan.WARM_ROUNDS));
    }

    @FunctionalInterface
    private interface Consuming {
        Figures run(Consumers consumers, DataSource pool) throws Exception;
    }

    private Contender contender(String name, Consuming consuming) {
        return new Contender(name, () -> {
            try (FreshDatabase database = new FreshDatabase(server, "turn" + turns++)) {
                database.createTables();
                Inbox.createTable(database.sql());
                DataSource pool = database.pool(CONNECTIONS);
                Costs first = database.costs();
                Figures unused = consuming.run(few, pool);
                Costs ofFew = database.costs().since(first);
                database.sql().execute("truncate table safebunny_message, " + Inbox.TABLE);
                Costs second = database.costs();
                Figures figures = consuming.run(many, pool);
                Costs ofMany = database.costs().since(second);
                Map<String, Double> all = new LinkedHashMap<>(figures.byName());
                all.putAll(ofMany.since(ofFew).per(UNIT, messages - FEW));
                return new Figures(all);
            }
        });
    }

    @Override
    public void close() {
        server.close();
    }
}
