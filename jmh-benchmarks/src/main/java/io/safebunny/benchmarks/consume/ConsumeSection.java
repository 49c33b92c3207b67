// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Plan;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import io.safebunny.benchmarks.database.BenchDatabase;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Consuming with prefetch 10, 100 and 250, with and without stores, and with 32 instances against one. */
public final class ConsumeSection implements Section {

    private static final String RAW = "raw client, one thread, nothing read";
    private static final String LISTENER = "@RabbitListener, equal concurrency";
    private static final String ONE_BY_ONE = "@RabbitListener, one at a time";
    private static final String SAFEBUNNY = "SafeBunny";
    private static final String MEMORY = "SafeBunny, memory";
    private static final String POSTGRES = "SafeBunny, PostgreSQL";
    private static final String TRANSACTIONAL = "SafeBunny, PostgreSQL, transactional";
    private static final String SHARED = "SafeBunny, PostgreSQL, 16 messages in a transaction";
    private static final String BATCH = "SafeBunny, PostgreSQL, batches of 100";
    private static final String MANY = "SafeBunny, 32 instances";

    private static final String CONDITIONS =
            "%s prepared messages of 965 bytes of JSON in one quorum queue, handlers that do nothing";
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final int INSTANCES = 32;
    private static final int SMALL = 10;
    private static final int MIDDLE = 100;
    private static final int LARGE = 250;
    private static final int PER_TRANSACTION = 16;
    private static final int SPARE_CONNECTIONS = 4;

    private static final JdbcStoreOptions STORE = JdbcStoreOptions.of(Consumers.NODE, RETENTION);

    /** One connection per message in a transaction, and some spare ones. */
    private final BenchDatabase database = new BenchDatabase(MIDDLE + SPARE_CONNECTIONS);

    private final Consumers consumers;
    private final String conditions;

    public ConsumeSection(BenchBroker broker, Effort effort) {
        int messages = effort.messages(20_000);
        consumers = new Consumers(broker, messages);
        conditions = CONDITIONS.formatted(messages);
    }

    @Override
    public List<Contest> contests() {
        return List.of(
                small(),
                middle().with(Plan.WARM_ROUNDS),
                batches().with(Plan.WARM_ROUNDS),
                large().with(Plan.WARM_ROUNDS),
                instances().with(Plan.WARM_ROUNDS),
                processor().with(Plan.WARM_ROUNDS));
    }

    private Contest small() {
        return new Contest(
                "Consume, prefetch 10",
                conditions + "; equal concurrency: ten consumers with a message each",
                List.of(
                        new Contender(RAW, () -> consumers.raw(SMALL)),
                        new Contender(ONE_BY_ONE, () -> consumers.listeners(1, SMALL)),
                        new Contender(LISTENER, () -> consumers.listeners(SMALL, 1)),
                        without(SMALL),
                        memory(SMALL),
                        postgres(SMALL),
                        transactional(SMALL)),
                List.of(
                        new Ratio("consumeVsListener", SAFEBUNNY, LISTENER, 1),
                        new Ratio("consumeMemoryDedupVsListener", MEMORY, LISTENER, 0.95),
                        new Ratio("consumePostgresVsListener", POSTGRES, LISTENER, 0),
                        new Ratio("consumeVsOneByOne", SAFEBUNNY, ONE_BY_ONE, 0),
                        new Ratio("consumePostgresVsNone", POSTGRES, SAFEBUNNY, 0.4),
                        new Ratio("transactionalVsNone10", TRANSACTIONAL, SAFEBUNNY, 0.4)));
    }

    private Contest middle() {
        return new Contest(
                "Consume, prefetch 100",
                conditions,
                List.of(without(MIDDLE), memory(MIDDLE), postgres(MIDDLE), transactional(MIDDLE), shared()),
                List.of(
                        new Ratio("consumePostgresVsNone100", POSTGRES, SAFEBUNNY, 0.4),
                        new Ratio("transactionalVsNone100", TRANSACTIONAL, SAFEBUNNY, 0.15),
                        new Ratio("sharedVsNone100", SHARED, SAFEBUNNY, 0.35)));
    }

    private Contest batches() {
        return new Contest(
                "Consume, batches of 100",
                conditions + "; prefetch 200 for batches, 10 for the others",
                List.of(
                        new Contender(LISTENER, () -> consumers.listeners(SMALL, 1)),
                        transactional(SMALL),
                        new Contender(BATCH, () -> consumers.batches(MIDDLE, this::transactionalStore))),
                List.of(
                        new Ratio("batch100VsListener", BATCH, LISTENER, 1),
                        new Ratio("batch100VsSingle", BATCH, TRANSACTIONAL, 5)));
    }

    private Contest large() {
        return new Contest(
                "Consume, prefetch 250",
                conditions + "; equal concurrency: 250 consumers with a message each",
                List.of(
                        new Contender(RAW, () -> consumers.raw(LARGE)),
                        new Contender(ONE_BY_ONE, () -> consumers.listeners(1, LARGE)),
                        new Contender(LISTENER, () -> consumers.listeners(LARGE, 1)),
                        without(LARGE),
                        memory(LARGE),
                        postgres(LARGE)),
                List.of(
                        new Ratio("consume250VsListener", SAFEBUNNY, LISTENER, 1),
                        new Ratio("consumeMemoryDedup250VsListener", MEMORY, LISTENER, 0.95),
                        new Ratio("consumePostgres250VsListener", POSTGRES, LISTENER, 0),
                        new Ratio("consume250VsOneByOne", SAFEBUNNY, ONE_BY_ONE, 0)));
    }

    private Contest instances() {
        return new Contest(
                "Consume, 32 instances against one",
                conditions + ", prefetch 10 each",
                List.of(without(SMALL), new Contender(MANY, () -> consumers.safeBunny(INSTANCES, SMALL, null))),
                List.of(new Ratio("consumers32Vs1", MANY, SAFEBUNNY, 1)));
    }

    private Contest processor() {
        return new Contest(
                "Consume, processor time",
                conditions
                        + ", prefetch 10; of the consuming process, system calls included; goal: SafeBunny's own at most 10 %",
                List.of(
                        new Contender(SAFEBUNNY, () -> consumers.profiled(SMALL, null)),
                        new Contender(MEMORY, () -> consumers.profiled(SMALL, ConsumeSection::memoryStore)),
                        new Contender(POSTGRES, () -> consumers.profiled(SMALL, this::postgresStore))),
                List.of());
    }

    private Contender without(int prefetch) {
        return new Contender(SAFEBUNNY, () -> consumers.safeBunny(1, prefetch, null));
    }

    private Contender memory(int prefetch) {
        return new Contender(MEMORY, () -> consumers.safeBunny(1, prefetch, ConsumeSection::memoryStore));
    }

    private static MessageStore memoryStore(Timeline timeline) {
        return new MemoryMessageStore(timeline, RETENTION);
    }

    private Contender postgres(int prefetch) {
        return new Contender(POSTGRES, () -> consumers.safeBunny(1, prefetch, this::postgresStore));
    }

    private MessageStore postgresStore(Timeline timeline) {
        return new JdbcMessageStore(emptied(), STORE);
    }

    private Contender transactional(int prefetch) {
        return new Contender(TRANSACTIONAL, () -> consumers.safeBunny(1, prefetch, this::transactionalStore));
    }

    private Contender shared() {
        return new Contender(SHARED, () -> consumers.sharing(MIDDLE, PER_TRANSACTION, this::transactionalStore));
    }

    private MessageStore transactionalStore(Timeline timeline) {
        return new TransactionalJdbcMessageStore(emptied(), new JdbcTransactionManager(database.pool()), STORE);
    }

    private DataSource emptied() {
        database.sql().execute("truncate table safebunny_message");
        return database.pool();
    }

    @Override
    public void close() {
        database.close();
    }
}
